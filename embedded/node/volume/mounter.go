package volume

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"k8s.io/mount-utils"
)

// Mounter implements the kubelet's mount interface. It keeps no state: what is a symbolic link is a mount point.
type Mounter struct{}

var _ mount.Interface = Mounter{}

// Mount makes target a link to source for bind mounts, and does nothing for others: target stays a directory.
func (Mounter) Mount(source, target, _ string, options []string) error {
	if !slices.Contains(options, "bind") && !slices.Contains(options, "rbind") {
		return nil
	}
	if linked, err := os.Readlink(target); err == nil && linked == source {
		return nil
	}
	if err := os.Remove(target); err != nil && !errors.Is(err, os.ErrNotExist) { // refuses a directory with content
		return fmt.Errorf("replace mount point: %w", err)
	}
	if err := os.Symlink(source, target); err != nil {
		return fmt.Errorf("link volume: %w", err)
	}
	return nil
}

// MountSensitive is Mount.
func (m Mounter) MountSensitive(source, target, fstype string, options, _ []string) error {
	return m.Mount(source, target, fstype, options)
}

// MountSensitiveWithoutSystemd is Mount.
func (m Mounter) MountSensitiveWithoutSystemd(source, target, fstype string, options, _ []string) error {
	return m.Mount(source, target, fstype, options)
}

// MountSensitiveWithoutSystemdWithMountFlags is Mount.
func (m Mounter) MountSensitiveWithoutSystemdWithMountFlags(source, target, fstype string, options, _, _ []string) error {
	return m.Mount(source, target, fstype, options)
}

// Unmount turns a link into an empty directory again, which callers then remove.
func (m Mounter) Unmount(target string) error {
	mounted, err := m.IsMountPoint(target)
	if err != nil || !mounted {
		return nil // nothing is mounted there
	}
	if err := os.Remove(target); err != nil {
		return fmt.Errorf("remove link to volume: %w", err)
	}
	return os.Mkdir(target, 0o750)
}

// List lists none.
func (Mounter) List() ([]mount.MountPoint, error) { return nil, nil }

// IsMountPoint tells links from directories.
func (Mounter) IsMountPoint(path string) (bool, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return false, err
	}
	return info.Mode()&os.ModeSymlink != 0, nil
}

// IsLikelyNotMountPoint is the opposite of IsMountPoint.
func (m Mounter) IsLikelyNotMountPoint(path string) (bool, error) {
	mounted, err := m.IsMountPoint(path)
	return !mounted, err
}

// CanSafelySkipMountPointCheck is true since Unmount accepts anything.
func (Mounter) CanSafelySkipMountPointCheck() bool { return true }

// GetMountRefs finds none.
func (Mounter) GetMountRefs(string) ([]string, error) { return nil, nil }
