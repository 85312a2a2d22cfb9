// Package programs compiles programs and compresses them, as packages embedded/sandbox and embedded/prometheus embed them. The same sources always give the
// same file.
package programs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// Program is compiled first and embedded in the binary. Paths are from the root of the repository.
type Program struct {
	Module  string // the directory of its module
	Package string // within the module
	Target  string // the compressed program
}

// All are the embedded programs.
var All = []Program{
	{Module: "embedded/sandbox/program", Package: ".", Target: "embedded/sandbox/bin/runsc.zst"},
	{Module: "embedded/sandbox/program", Package: "./pause", Target: "embedded/sandbox/bin/pause.zst"},
	{Module: "embedded/prometheus/program", Package: ".", Target: "embedded/prometheus/bin/prometheus.zst"},
}

// Compile builds a package of a module for Linux on an architecture, and writes the compressed program to a file. Variables are set in
// addition to those of this process.
func Compile(module, pkg, architecture, file string, variables ...string) error {
	dir, err := os.MkdirTemp("", "program-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary := filepath.Join(dir, "program")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", binary, pkg)
	cmd.Dir, cmd.Env = module, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS=linux", "GOARCH="+architecture)
	cmd.Env = append(cmd.Env, variables...)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compile %s for %s: %w\n%s", pkg, architecture, err, output)
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	compressed, err := compress(content)
	if err != nil {
		return err
	}
	return atomicfile.Write(file, compressed, 0o644)
}

func compress(content []byte) ([]byte, error) {
	var compressed bytes.Buffer
	writer, err := zstd.NewWriter(&compressed, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	_, err = writer.Write(content)
	if err := errors.Join(err, writer.Close()); err != nil {
		return nil, err
	}
	return compressed.Bytes(), nil
}
