//go:build !linux

package peer

import "syscall"

// ownGroup keeps signals of the terminal away from the process.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
