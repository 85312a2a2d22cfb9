package volume

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/kubernetes/pkg/volume/util/subpath"

	"github.com/gardener-up/gardener-up/embedded/node/within"
)

// Subpaths implements the kubelet's preparation of sub paths of volumes. A container gets the directory or file that the sub
// path leads to. A sandbox follows no link on the way there, should it be replaced meanwhile. For a process that is no guarantee, because
// processes are not isolated.
type Subpaths struct{}

var _ subpath.Interface = Subpaths{}

// PrepareSafeSubpath returns where the path leads. That must be in the volume.
func (Subpaths) PrepareSafeSubpath(path subpath.Subpath) (string, func(), error) {
	real, err := within.Resolve(path.Path, path.VolumePath)
	if err != nil {
		return "", nil, err
	}
	return real, func() {}, nil
}

// CleanSubPaths has nothing to do.
func (Subpaths) CleanSubPaths(string, string) error { return nil }

// SafeMakeDir creates a directory in base, and follows no link out of it.
func (Subpaths) SafeMakeDir(dir, base string, perm os.FileMode) error {
	root, err := os.OpenRoot(base)
	if err != nil {
		return fmt.Errorf("open volume: %w", err)
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Clean(dir), perm); err != nil {
		return fmt.Errorf("create sub path of volume: %w", err)
	}
	return nil
}
