package volume

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"k8s.io/kubernetes/pkg/volume/util/hostutil"

	"github.com/gardener-up/gardener-up/embedded/node/within"
)

// Host is the machine's file system as the volume plugins see it, without mount propagation and SELinux.
type Host struct {
	hostutil.HostUtils
	dirs []string
}

// NewHost returns the machine's file system. Users of pods can write to volumes in the directories.
func NewHost(dirs ...string) Host { return Host{hostutil.NewHostUtil(), dirs} }

// PathExists does not tell what exists behind links that lead out of the directories: it takes them for something.
func (h Host) PathExists(path string) (bool, error) {
	for _, dir := range h.dirs {
		if dir == "" || !within.Contains(dir, path) {
			continue
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return false, err
		}
		defer root.Close()
		rest, err := filepath.Rel(dir, path)
		if err != nil {
			return false, err
		}
		_, err = root.Stat(rest)
		return !errors.Is(err, fs.ErrNotExist), nil
	}
	return h.HostUtils.PathExists(path)
}

// MakeRShared has nothing to do: nothing is mounted.
func (Host) MakeRShared(string) error { return nil }

// GetSELinuxSupport is false: there are no mounts to label.
func (Host) GetSELinuxSupport(string) (bool, error) { return false, nil }
