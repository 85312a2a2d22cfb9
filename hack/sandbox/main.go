// Command sandbox compiles the program that runs sandboxes and compresses it for package embedded/sandbox. `make build` calls it. It does
// nothing if the result is newer than all sources.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// Paths from the root of the repository.
const (
	module = "embedded/sandbox/program"
	target = "embedded/sandbox/bin"
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
	for name, pkg := range map[string]string{"runsc": ".", "pause": "./pause"} {
		file := filepath.Join(target, name+".zst")
		fresh, err := newer(file)
		if err != nil {
			return err
		}
		if fresh {
			continue
		}
		if err := compile(pkg, file); err != nil {
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
			if err != nil || entry.IsDir() || strings.HasPrefix(path, target) || strings.HasSuffix(path, "_test.go") {
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

func compile(pkg, file string) error {
	dir, err := os.MkdirTemp("", "sandbox-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "program")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, pkg)
	cmd.Dir, cmd.Env = module, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, output)
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	var compressed bytes.Buffer
	writer, err := zstd.NewWriter(&compressed, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	if _, err := writer.Write(content); err != nil {
		return err
	}
	if err := writer.Close(); err != nil {
		return err
	}
	return atomicfile.Write(file, compressed.Bytes(), 0o644)
}
