// Command sandbox compiles the program that runs sandboxes and compresses it for package embedded/sandbox. `make build` calls it. It does
// nothing if the result is newer than all sources.
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

// sources are the folders whose files go into the programs.
var sources = []string{"embedded/sandbox", "hack/sandbox"}

func main() {
	if err := build(); err != nil {
		fmt.Fprintln(os.Stderr, "build the program of sandboxes:", err)
		os.Exit(1)
	}
}

func build() error {
	for name, pkg := range programs.All {
		file := filepath.Join(programs.Target, name+programs.Extension)
		fresh, err := newer(file)
		if err != nil {
			return err
		}
		if fresh {
			continue
		}
		if err := programs.Compile(programs.Module, pkg, runtime.GOARCH, file); err != nil {
			return err
		}
	}
	return nil
}

// newer reports whether the file exists and no source was changed after it was written.
func newer(file string) (bool, error) {
	written, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	latest := time.Time{}
	for _, source := range sources {
		err := filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasPrefix(path, programs.Target) || strings.HasSuffix(path, "_test.go") {
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
