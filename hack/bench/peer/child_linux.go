package peer

import "syscall"

// ownGroup keeps signals of the terminal away from the process and has the kernel kill it when we end.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
