//go:build linux && !amd64

package noexec

import "golang.org/x/sys/unix"

// removals are the system calls that remove files and directories. Newer architectures have one.
var removals = []uint32{unix.SYS_UNLINKAT}
