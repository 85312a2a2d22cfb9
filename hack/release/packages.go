package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// packed is a file of a package.
type packed struct {
	Source      string      `json:"source"`
	Destination string      `json:"destination"`
	Mode        fs.FileMode `json:"mode"`
}

// writePackages lets the module in the directory packages write a deb and an rpm. That is a module of its own, with many others.
func (r *release) writePackages(p program, m manual) error {
	order, err := json.Marshal(struct {
		Name         string              `json:"name"`
		Version      string              `json:"version"`
		Architecture string              `json:"architecture"`
		Time         time.Time           `json:"time"`
		Description  string              `json:"description"`
		Homepage     string              `json:"homepage"`
		License      string              `json:"license"`
		Maintainer   string              `json:"maintainer"`
		Files        map[string][]packed `json:"files"`
		Directory    string              `json:"directory"`
		Fast         bool                `json:"fast"`
	}{
		r.Name, strings.TrimPrefix(r.Version, "v"), p.Architecture, r.Time, r.Description, r.Homepage, r.License, r.Maintainer,
		map[string][]packed{"deb": r.packed(p, m, "vendor-completions"), "rpm": r.packed(p, m, "site-functions")}, r.Directory, r.Fast,
	})
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir, cmd.Stdin = packager(), bytes.NewReader(order)
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath"), offline...)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("write packages for %s: %w\n%s", p.Architecture, err, output)
	}
	return nil
}

// packed lists the files of a package. Distributions disagree about where completions for zsh are.
func (r *release) packed(p program, m manual, zsh string) []packed {
	list := []packed{{p.Path, path.Join("/usr/bin", r.Name), 0o755}}
	for _, page := range m.Pages {
		list = append(list, packed{page, path.Join("/usr/share/man/man1", filepath.Base(page)), 0o644})
	}
	for _, document := range r.Documents {
		list = append(list, packed{filepath.Join(r.Root, document), path.Join("/usr/share/doc", r.Name, path.Base(document)), 0o644})
	}
	for shell, dir := range map[string]string{"bash": "bash-completion/completions", "fish": "fish/vendor_completions.d", "zsh": "zsh/" + zsh} {
		file := m.Completions[shell]
		list = append(list, packed{file, path.Join("/usr/share", dir, filepath.Base(file)), 0o644})
	}
	return list
}

// packager is the directory of the module that writes packages. It is beside this file, or below the directory of the process, as it is with
// -trimpath.
func packager() string {
	_, file, _, _ := runtime.Caller(0)
	if dir := filepath.Join(filepath.Dir(file), "packages"); filepath.IsAbs(dir) {
		return dir
	}
	if _, err := os.Stat("packages/main.go"); err == nil {
		return "packages" // in tests of this package
	}
	return filepath.FromSlash("hack/release/packages")
}
