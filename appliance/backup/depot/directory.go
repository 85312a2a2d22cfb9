package depot

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// directory is a depot in the file system.
type directory string

// List implements Depot. Other files, and directories, are left out.
func (d directory) List(_ context.Context, wanted func(string) bool) ([]Object, error) {
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return nil, err
	}
	var all []Object
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || !printable(entry.Name()) || !wanted(entry.Name()) {
			continue // removed meanwhile, or no archive
		}
		all = append(all, Object{Name: entry.Name(), Bytes: info.Size()})
	}
	return all, nil
}

// Open implements Depot.
func (d directory) Open(_ context.Context, name string) (io.ReadCloser, error) {
	return os.Open(d.Locate(name))
}

// Write implements Depot. Only the owner can read the file, which is on the disk when Write returns.
func (d directory) Write(_ context.Context, name string, fill func(io.Writer) error) (int64, error) {
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return 0, err
	}
	if err := atomicfile.WriteBy(d.Locate(name), 0o600, fill); err != nil {
		return 0, err
	}
	info, err := os.Stat(d.Locate(name))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Delete implements Depot.
func (d directory) Delete(_ context.Context, name string) error { return os.Remove(d.Locate(name)) }

// Locate implements Depot.
func (d directory) Locate(name string) string { return filepath.Join(string(d), name) }

// Close implements Depot.
func (d directory) Close() error { return nil }
