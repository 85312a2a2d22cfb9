package runtime

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// layOut makes the root file system of a container: a directory with the few folders every image has, and a symbolic
// link for every volume mount. Links instead of mounts need no privileges and show changes of a volume at once.
func layOut(rootfs string, mounts []volumeMount) error {
	for _, dir := range []string{"bin", "tmp", "root"} {
		if err := os.MkdirAll(filepath.Join(rootfs, dir), 0o700); err != nil {
			return err
		}
	}
	root := &mountPoint{children: map[string]*mountPoint{}}
	for _, mount := range mounts {
		if err := root.add(mount); err != nil {
			return err
		}
	}
	return root.materialize(rootfs)
}

// mountPoint is a place in the container's tree: a mount, a folder on the way to one, or both.
type mountPoint struct {
	source   string // host path; empty for a mere folder
	readOnly bool
	children map[string]*mountPoint
}

func (m *mountPoint) add(mount volumeMount) error {
	path := strings.Trim(filepath.Clean("/"+mount.ContainerPath), "/")
	if path == "" {
		return fmt.Errorf("mount at %q: a volume cannot replace the root", mount.ContainerPath)
	}
	for _, name := range strings.Split(path, "/") {
		child, ok := m.children[name]
		if !ok {
			child = &mountPoint{children: map[string]*mountPoint{}}
			m.children[name] = child
		}
		m = child
	}
	m.source, m.readOnly = mount.HostPath, mount.ReadOnly
	return nil
}

func (m *mountPoint) materialize(path string) error {
	switch {
	case m.source == "":
		if err := os.MkdirAll(path, 0o700); err != nil {
			return fmt.Errorf("create folder for mounts: %w", err)
		}
	case len(m.children) == 0:
		return link(m.source, path)
	case m.readOnly || projected(m.source):
		return m.merge(path)
	default: // as container runtimes do, mount points appear in the writable volume itself
		if err := link(m.source, path); err != nil {
			return err
		}
		path = m.source
	}
	return m.materializeChildren(path)
}

func (m *mountPoint) materializeChildren(path string) error {
	for _, name := range sortedKeys(m.children) {
		if err := m.children[name].materialize(filepath.Join(path, name)); err != nil {
			return err
		}
	}
	return nil
}

// merge shows a volume that must not be written to with mount points in it: a folder that links each of its entries.
func (m *mountPoint) merge(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("create folder for mounts: %w", err)
	}
	entries, err := os.ReadDir(m.source)
	if err != nil {
		return fmt.Errorf("read volume: %w", err)
	}
	for _, entry := range entries {
		source := filepath.Join(m.source, entry.Name())
		if child, ok := m.children[entry.Name()]; ok {
			if child.source == "" {
				child.source, child.readOnly = source, true
			}
			continue
		}
		if strings.HasPrefix(entry.Name(), "..") { // the kubelet's own links of versions
			continue
		}
		if err := link(source, filepath.Join(path, entry.Name())); err != nil {
			return err
		}
	}
	return m.materializeChildren(path)
}

// projected reports whether the kubelet writes the volume: secrets, config maps and the like.
func projected(volume string) bool {
	_, err := os.Lstat(filepath.Join(volume, "..data"))
	return err == nil
}

// link makes path a link to source, in place of an earlier link or of something empty.
func link(source, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("create folder for mounts: %w", err)
	}
	err := os.Symlink(source, path)
	if !errors.Is(err, os.ErrExist) {
		return err
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
		return fmt.Errorf("mount point %s is a file with content", path)
	}
	if err := os.Remove(path); err != nil { // refuses a folder with content
		return fmt.Errorf("replace mount point: %w", err)
	}
	return os.Symlink(source, path)
}

func sortedKeys(m map[string]*mountPoint) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
