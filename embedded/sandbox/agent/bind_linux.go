package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/embedded/sandbox/wire"
)

// bind mounts a source that users of pods may have replaced by a link since it was looked at. Source and target are opened without following
// any, and what is open is mounted. A program that is given the target cannot be led elsewhere.
func bind(b wire.Bind, mounts string) error {
	source, err := open(b.Source)
	if err != nil {
		return err
	}
	defer source.Close()
	if err := likeness(source, mounts, b.Name); err != nil {
		return fmt.Errorf("make mount point: %w", err)
	}
	target, err := open(filepath.Join(mounts, filepath.Clean("/"+b.Name)))
	if err != nil {
		return err
	}
	defer target.Close()
	return os.NewSyscallError("mount", unix.Mount(pathOf(source), pathOf(target), "", unix.MS_BIND|unix.MS_REC, ""))
}

// open opens nothing behind a link.
func open(path string) (*os.File, error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return nil, os.NewSyscallError("openat2", err)
	}
	return os.NewFile(uintptr(fd), path), nil
}

// pathOf is a path that leads to an open file, whatever has its name.
func pathOf(file *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(file.Fd())) }

// likeness makes an empty directory or file in mounts, as the source is. gVisor can write to mounts, too, so links there lead nowhere else.
func likeness(source *os.File, mounts, name string) error {
	info, err := source.Stat()
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(mounts)
	if err != nil {
		return err
	}
	defer root.Close()
	if info.IsDir() {
		return root.MkdirAll(name, 0o700)
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return root.WriteFile(name, nil, 0o600)
}

// unbind unmounts what is mounted at a path, or in it if it is a directory with mount points, and removes the mount points. It never looks into a
// volume that is still mounted.
func unbind(path string) {
	if unix.Unmount(path, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW) == nil {
		_ = os.Remove(path)
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return
	}
	for _, entry := range entries {
		point := filepath.Join(path, entry.Name())
		if unix.Unmount(point, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW) == nil {
			_ = os.Remove(point)
		}
	}
	_ = os.Remove(path) // succeeds if it is empty
}
