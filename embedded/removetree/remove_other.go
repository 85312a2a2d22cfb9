//go:build !linux

package removetree

import (
	"context"
	"os"
)

// in has the bounds of the standard library here.
func in(_ context.Context, parent *os.File, name string) error {
	root, err := os.OpenRoot(parent.Name())
	if err != nil {
		return err
	}
	defer root.Close()
	return root.RemoveAll(name)
}
