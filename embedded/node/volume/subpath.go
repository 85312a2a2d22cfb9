package volume

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/kubernetes/pkg/volume/util/subpath"

	"github.com/gardener-up/gardener-up/embedded/node/within"
)

// Subpaths implements the kubelet's preparation of sub paths of volumes. When it is prepared, it must lead into the volume. A
// sandbox looks again and follows no link after that. For a process there is no guarantee, because processes are not isolated.
type Subpaths struct {
	// HostPaths is a directory in which users can replace volumes by links.
	HostPaths string
}

var _ subpath.Interface = Subpaths{}

// PrepareSafeSubpath returns the path unless it leads out of the volume.
func (s Subpaths) PrepareSafeSubpath(path subpath.Subpath) (string, func(), error) {
	if _, err := within.Resolve(path.Path, s.fixed(path.VolumePath)); err != nil {
		return "", nil, err
	}
	return path.Path, func() {}, nil
}

// fixed is the directory, the volume or one that it is in, which users cannot replace.
func (s Subpaths) fixed(volume string) string {
	if s.HostPaths != "" && within.Contains(s.HostPaths, volume) {
		return s.HostPaths
	}
	return volume
}

// CleanSubPaths has nothing to do.
func (Subpaths) CleanSubPaths(string, string) error { return nil }

// SafeMakeDir creates a directory in base, and follows no link out of it. perm is the mode of the volume, which the users of containers
// need for the directory, too, whatever the umask is.
func (s Subpaths) SafeMakeDir(dir, base string, perm os.FileMode) error {
	fixed := s.fixed(base)
	dir, err := filepath.Rel(fixed, filepath.Join(base, filepath.Clean("/"+dir)))
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(fixed)
	if err != nil {
		return fmt.Errorf("open volume: %w", err)
	}
	defer root.Close()
	if info, err := root.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	err = root.MkdirAll(dir, perm.Perm())
	if err == nil {
		err = root.Chmod(dir, perm.Perm())
	}
	if err != nil {
		return fmt.Errorf("create sub path of volume: %w", err)
	}
	return nil
}
