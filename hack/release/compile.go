package main

import (
	"debug/elf"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/gardener-up/gardener-up/hack/sandbox/programs"
)

// program is a binary of the release.
type program struct {
	Architecture string
	Path         string
	Inside       []string // binaries that are embedded in it, uncompressed
}

// offline keeps go from the network. What is missing is an error then.
var offline = []string{"GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local"}

// compile builds the binary. What it embeds is laid over the sources, which stay as they are.
func (r *release) compile(architecture, temporary string) (program, error) {
	p := program{Architecture: architecture, Path: r.binaryOf(architecture)}
	var overlay struct{ Replace map[string]string }
	overlay.Replace = map[string]string{}
	for _, e := range r.Embedded {
		file := filepath.Join(temporary, architecture, filepath.Base(e.Target))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return p, err
		}
		if err := programs.Compile(filepath.Join(r.Root, e.Module), e.Package, architecture, file, offline...); err != nil {
			return p, err
		}
		overlay.Replace[filepath.Join(r.Root, e.Target)] = file
		p.Inside = append(p.Inside, file)
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return p, err
	}
	overlayFile := filepath.Join(temporary, architecture+".json")
	if err := os.WriteFile(overlayFile, text, 0o644); err != nil {
		return p, err
	}
	cmd := exec.Command("go", "build", "-trimpath", "-overlay", overlayFile, "-ldflags", r.LDFlags, "-o", p.Path, r.Package)
	cmd.Dir, cmd.Env = r.Root, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath", "GOOS=linux", "GOARCH="+architecture)
	cmd.Env = append(cmd.Env, offline...)
	if output, err := cmd.CombinedOutput(); err != nil {
		return p, fmt.Errorf("compile %s for %s: %w\n%s", r.Package, architecture, err, output)
	}
	return p, static(p)
}

// binaryOf is the path of the binary for an architecture.
func (r *release) binaryOf(architecture string) string {
	return r.file(fmt.Sprintf("%s-%s-linux-%s", r.Name, r.Version, architecture))
}

var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// static makes sure that the binary is for its architecture and needs no other file.
func static(p program) error {
	file, err := elf.Open(p.Path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if want, known := machines[p.Architecture]; !known || file.Machine != want {
		return fmt.Errorf("%s is for %s, not for %s", p.Path, file.Machine, p.Architecture)
	}
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP || segment.Type == elf.PT_DYNAMIC {
			return fmt.Errorf("%s is not static: it has a segment %s", p.Path, segment.Type)
		}
	}
	return nil
}
