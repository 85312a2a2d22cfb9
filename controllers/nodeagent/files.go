package nodeagent

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// Files are the agent's own files on a machine; Root is "/" there.
type Files struct{ Root string }

// Read returns the content, nil if there is no such file.
func (f Files) Read(path string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(f.Root, path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// Write replaces a file atomically; only root may read it. Writing the same content again does nothing.
func (f Files) Write(path string, data []byte) error {
	return atomicfile.Update(filepath.Join(f.Root, path), data, 0o600, 0o755)
}

// Remove removes a file, which need not exist.
func (f Files) Remove(path string) error {
	if err := os.Remove(filepath.Join(f.Root, path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// unmarshal accepts fields of newer versions.
func unmarshal(data []byte, into any) error { return yaml.Unmarshal(data, into) }
