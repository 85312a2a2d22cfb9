package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
)

// manual are the files that the binary writes about itself.
type manual struct {
	Pages       []string          // man pages, compressed
	Completions map[string]string // by shell
}

var shells = []string{"bash", "fish", "zsh"}

// document lets the binary of this machine write its man pages and completions.
func (r *release) document(programs []program, temporary string) (manual, error) {
	i := slices.IndexFunc(programs, func(p program) bool { return p.Architecture == runtime.GOARCH })
	out := manual{Completions: map[string]string{}}
	pages, dir := filepath.Join(temporary, "man"), filepath.Join(temporary, "manual")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return out, err
	}
	if _, err := ask(programs[i].Path, temporary, "man", pages); err != nil {
		return out, err
	}
	entries, err := os.ReadDir(pages)
	if err != nil {
		return out, err
	}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(pages, entry.Name()))
		if err != nil {
			return out, err
		}
		var compressed bytes.Buffer
		if err := compress(&compressed, bytes.NewReader(text), r.level()); err != nil {
			return out, err
		}
		path := filepath.Join(dir, entry.Name()+".gz")
		if err := os.WriteFile(path, compressed.Bytes(), 0o644); err != nil {
			return out, err
		}
		out.Pages = append(out.Pages, path)
	}
	if len(out.Pages) == 0 {
		return out, fmt.Errorf("%s wrote no man pages", r.Name)
	}
	for _, shell := range shells {
		text, err := ask(programs[i].Path, temporary, "completion", shell)
		if err != nil {
			return out, err
		}
		out.Completions[shell] = filepath.Join(dir, r.completion(shell))
		if err := os.WriteFile(out.Completions[shell], text, 0o644); err != nil {
			return out, err
		}
	}
	return out, nil
}

// completion is the name that a shell expects of the file.
func (r *release) completion(shell string) string {
	return map[string]string{"bash": r.Name, "fish": r.Name + ".fish", "zsh": "_" + r.Name}[shell]
}

// ask runs the binary without any setting of this user.
func ask(binary, home string, arguments ...string) ([]byte, error) {
	cmd := exec.Command(binary, arguments...)
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	var problems bytes.Buffer
	cmd.Stderr = &problems
	output, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %v: %w\n%s", filepath.Base(binary), arguments, err, &problems)
	}
	return output, nil
}
