package peer

import "syscall"

// ownGroup keeps signals of the terminal away from the process and makes the kernel kill it when this process ends.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
