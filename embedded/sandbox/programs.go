package sandbox

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// ErrNotBuiltIn says that this binary was built without the programs.
var ErrNotBuiltIn = errors.New("this binary was built without gVisor: build it with make")

//go:embed all:bin
var built embed.FS

// Programs are the paths of the unpacked programs. All are absolute.
type Programs struct {
	// Runsc is gVisor's program. With the argument "agent" or "spawner" it serves a node, see package agent.
	Runsc string
	// PauseRoot is a directory with nothing but the program pause, the root file system of a pod's first container.
	PauseRoot string
}

// Unpack writes the programs below dir, unless they are there. Programs of different binaries have different paths, so that
// sandboxes that run are not disturbed. The error is ErrNotBuiltIn if there are none.
func Unpack(dir string) (Programs, error) {
	runsc, err := unpack(dir, "runsc")
	if err != nil {
		return Programs{}, err
	}
	pause, err := unpack(dir, "pause")
	if err != nil {
		return Programs{}, err
	}
	return Programs{Runsc: runsc, PauseRoot: filepath.Dir(pause)}, nil
}

// unpack returns the path of a program: dir/<digest>/<name>.
func unpack(dir, name string) (string, error) {
	compressed, err := built.ReadFile(path.Join("bin", name+".zst"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrNotBuiltIn
	}
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256(compressed)
	file := filepath.Join(dir, hex.EncodeToString(digest[:8]), name)
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", fmt.Errorf("unpack %s: %w", name, err)
	}
	reader, err := zstd.NewReader(nil)
	if err != nil {
		return "", err
	}
	defer reader.Close()
	content, err := reader.DecodeAll(compressed, nil)
	if err != nil {
		return "", fmt.Errorf("unpack %s: %w", name, err)
	}
	err = atomicfile.WriteBy(file, 0o755, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("unpack %s: %w", name, err)
	}
	return file, nil
}
