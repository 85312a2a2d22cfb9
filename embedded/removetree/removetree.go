package removetree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// All removes what has a path, with everything in it. It also removes directories that are closed to their owner. What is not there is no
// error. It returns the first error, after it has removed what it can. When the context ends, it returns the context's error.
func All(ctx context.Context, path string) error {
	path = filepath.Clean(path)
	parent, err := os.Open(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer parent.Close()
	return named(path, in(ctx, parent, filepath.Base(path)))
}

// In does the same with a path below an open directory.
func In(ctx context.Context, root *os.Root, path string) error {
	parent, err := root.Open(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer parent.Close()
	return named(path, in(ctx, parent, filepath.Base(path)))
}

func named(path string, err error) error {
	if err != nil {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return nil
}
