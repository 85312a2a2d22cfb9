package volume

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/kubernetes/pkg/volume/util/subpath"
)

// Subpaths implements the kubelet's preparation of sub paths of volumes. A container gets the sub path itself. When it is prepared,
// the target of the sub path must be in the volume. There is no further guarantee, because processes are not isolated.
type Subpaths struct{}

var _ subpath.Interface = Subpaths{}

// PrepareSafeSubpath returns the path unless links in it lead out of the volume.
func (Subpaths) PrepareSafeSubpath(path subpath.Subpath) (string, func(), error) {
	if err := inside(path.Path, path.VolumePath); err != nil {
		return "", nil, err
	}
	return path.Path, func() {}, nil
}

// CleanSubPaths has nothing to do.
func (Subpaths) CleanSubPaths(string, string) error { return nil }

// SafeMakeDir creates a directory in base.
func (Subpaths) SafeMakeDir(dir, base string, perm os.FileMode) error {
	full := filepath.Join(base, dir)
	if err := lies(full, base); err != nil {
		return err
	}
	if err := os.MkdirAll(full, perm); err != nil {
		return fmt.Errorf("create sub path of volume: %w", err)
	}
	return nil
}

// lies is inside for a path of which only the first part may exist.
func lies(path, base string) error {
	existing := filepath.Clean(path)
	for existing != base && existing != filepath.Dir(existing) {
		if _, err := os.Lstat(existing); err == nil {
			break
		}
		existing = filepath.Dir(existing)
	}
	return inside(existing, base)
}

func inside(path, base string) error {
	realPath, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("resolve sub path of volume: %w", err)
	}
	realBase, err := filepath.EvalSymlinks(base)
	if err != nil {
		return fmt.Errorf("resolve volume: %w", err)
	}
	if realPath != realBase && !strings.HasPrefix(realPath, realBase+string(filepath.Separator)) {
		return fmt.Errorf("sub path %q leads out of its volume", path)
	}
	return nil
}
