package noexec

import "golang.org/x/sys/unix"

// removals are the system calls that remove files and directories.
var removals = []uint32{unix.SYS_UNLINK, unix.SYS_UNLINKAT, unix.SYS_RMDIR}
