package testenv

import "syscall"

// dieWithParent makes the kernel kill the process when the test ends in whatever way.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
