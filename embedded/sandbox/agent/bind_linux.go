package agent

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/embedded/sandbox/wire"
)

// bind mounts a source that users of pods may have replaced by a link since it was looked at. The source is opened without following any, and
// what is open is mounted. A program that is given the target cannot be led elsewhere.
func bind(b wire.Bind) error {
	fd, err := unix.Openat2(unix.AT_FDCWD, b.Source, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return os.NewSyscallError("openat2", err)
	}
	defer unix.Close(fd)
	return os.NewSyscallError("mount", unix.Mount("/proc/self/fd/"+strconv.Itoa(fd), b.Target, "", unix.MS_BIND|unix.MS_REC, ""))
}
