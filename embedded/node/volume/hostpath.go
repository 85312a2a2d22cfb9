package volume

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/utils/ptr"
)

// ofNode is a directory or file of a directory that users of pods share, and take for the file system of the machine. They may have put
// links into it that lead out: those are errors.
type ofNode struct {
	volume.Mounter
	// root is the shared directory, and path the one in it, relative.
	root, path string
	file       bool
}

// newOfNode is the mounter for a path below root.
func newOfNode(mounter volume.Mounter, source *corev1.HostPathVolumeSource, root string) (volume.Mounter, error) {
	path, err := filepath.Rel(root, source.Path)
	if err != nil {
		return nil, err
	}
	kind := ptr.Deref(source.Type, corev1.HostPathUnset)
	return ofNode{mounter, root, path, kind == corev1.HostPathFile || kind == corev1.HostPathFileOrCreate}, nil
}

// SetUp makes the directory or file if it does not exist.
func (o ofNode) SetUp(volume.MounterArgs) error {
	if err := os.MkdirAll(o.root, 0o755); err != nil {
		return fmt.Errorf("make directory of the node: %w", err)
	}
	root, err := os.OpenRoot(o.root)
	if err != nil {
		return fmt.Errorf("open directory of the node: %w", err)
	}
	defer root.Close()
	if o.file {
		err = o.makeFile(root)
	} else {
		err = root.MkdirAll(o.path, 0o755)
	}
	if err != nil {
		return fmt.Errorf("hostPath is a directory or file of the node: %w", err)
	}
	return nil
}

// makeFile does not wait for the other end of a named pipe.
func (o ofNode) makeFile(root *os.Root) error {
	if err := root.MkdirAll(filepath.Dir(o.path), 0o755); err != nil {
		return err
	}
	file, err := root.OpenFile(o.path, os.O_CREATE|os.O_RDONLY|unix.O_NONBLOCK, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	return err
}
