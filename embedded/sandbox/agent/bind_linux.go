package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/embedded/sandbox/wire"
)

// bind mounts a source that users of pods may have replaced by a link since it was looked at. The source is opened without following any, and
// what is open is mounted. A program that is given the target cannot be led elsewhere.
func bind(b wire.Bind, mounts string) error {
	fd, err := unix.Openat2(unix.AT_FDCWD, b.Source, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return os.NewSyscallError("openat2", err)
	}
	defer unix.Close(fd)
	open, target := "/proc/self/fd/"+strconv.Itoa(fd), filepath.Join(mounts, b.Name)
	if err := likeness(open, target); err != nil {
		return fmt.Errorf("make mount point: %w", err)
	}
	return os.NewSyscallError("mount", unix.Mount(open, target, "", unix.MS_BIND|unix.MS_REC, ""))
}

// likeness makes an empty directory or file, as the source is.
func likeness(source, target string) error {
	info, err := os.Stat(source)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.MkdirAll(target, 0o700)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	return os.WriteFile(target, nil, 0o600)
}

// unbind unmounts what is mounted at a path, or in a directory, and removes the mount points. It never removes a directory with content: that
// could be data of a volume that is still mounted.
func unbind(path string) {
	entries, err := os.ReadDir(path)
	if unix.Unmount(path, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW) != nil && err == nil {
		for _, entry := range entries {
			unbind(filepath.Join(path, entry.Name()))
		}
	}
	_ = os.Remove(path)
}
