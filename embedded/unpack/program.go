// Package unpack writes programs that are embedded in this binary, compressed, to a directory from which they can be started.
package unpack

import (
	"crypto/sha256"
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

// Program returns the path of a program: dir/<digest>/<name>. It writes the file unless it is there. Programs of different binaries have different
// paths, so that those that run are not disturbed. The error is missing if the binary was built without the program.
func Program(built fs.ReadFileFS, dir, name string, missing error) (string, error) {
	compressed, err := built.ReadFile(path.Join("bin", name+".zst"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", missing
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
