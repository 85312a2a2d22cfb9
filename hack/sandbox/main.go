// Command sandbox compiles the programs that the binary embeds, those of sandboxes and Prometheus, and compresses them. `make build` calls it. It does
// nothing for a program that is newer than all its sources.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gardener-up/gardener-up/hack/sandbox/programs"
)

// sources are the folders whose files go into the programs of a folder.
var sources = map[string][]string{
	"embedded/sandbox":    {"embedded/sandbox", "hack/sandbox"},
	"embedded/prometheus": {"embedded/prometheus", "embedded/dns/resolver", "embedded/noexec", "hack/sandbox"},
}

func main() {
	if err := build(); err != nil {
		fmt.Fprintln(os.Stderr, "build embedded programs:", err)
		os.Exit(1)
	}
}

func build() error {
	for _, p := range programs.All {
		fresh, err := newer(p)
		if err != nil {
			return err
		}
		if fresh {
			continue
		}
		if err := programs.Compile(p.Module, p.Package, runtime.GOARCH, p.Target); err != nil {
			return err
		}
	}
	return nil
}

// newer reports whether the program exists and no source was changed after it was written.
func newer(p programs.Program) (bool, error) {
	written, err := os.Stat(p.Target)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	latest := time.Time{}
	for _, source := range sources[filepath.Dir(p.Module)] {
		err := filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(path, ".zst") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			info, err := entry.Info()
			if err == nil && info.ModTime().After(latest) {
				latest = info.ModTime()
			}
			return err
		})
		if err != nil {
			return false, err
		}
	}
	return written.ModTime().After(latest), nil
}
