package agent

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/embedded/sandbox/wire"
)

// devices are the files of /dev that gVisor uses.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// furnish makes the file system of a pod: the directory of its state, devices, and a place for the mounts of containers. It returns that place.
func furnish(root, dir string) (mounts string, err error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return "", err
	}
	if err := mount("tmpfs", root, "tmpfs", unix.MS_NOSUID, "mode=755"); err != nil {
		return "", err
	}
	for _, device := range devices {
		if err := bindFile(device, filepath.Join(root, device)); err != nil {
			return "", err
		}
	}
	for _, name := range []string{dir, "/tmp", "/proc", wire.Mounts} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			return "", err
		}
	}
	if err := mount(dir, filepath.Join(root, dir), "", unix.MS_BIND, ""); err != nil {
		return "", err
	}
	mounts = filepath.Join(root, wire.Mounts)
	if err := mount("tmpfs", mounts, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=700"); err != nil {
		return "", err
	}
	return mounts, mount("", mounts, "", unix.MS_SHARED, "") // what is mounted here appears in the namespace inside
}

func bindFile(source, target string) error {
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(target, nil, 0o600); err != nil {
		return err
	}
	return mount(source, target, "", unix.MS_BIND, "")
}

// enter makes a directory the root of this namespace, which loses all other files.
func enter(root string) error {
	if err := unix.Chdir(root); err != nil {
		return os.NewSyscallError("chdir", err)
	}
	if err := unix.PivotRoot(".", "."); err != nil { // the old root is mounted above the new one until it is detached
		return os.NewSyscallError("pivot_root", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return os.NewSyscallError("umount", err)
	}
	return os.NewSyscallError("chdir", unix.Chdir("/"))
}

func mount(source, target, kind string, flags uintptr, data string) error {
	if err := unix.Mount(source, target, kind, flags, data); err != nil {
		return &os.PathError{Op: "mount", Path: target, Err: err}
	}
	return nil
}
