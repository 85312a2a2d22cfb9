//go:build !linux

package testenv

import "syscall"

// dieWithParent cannot bind a process to its parent on this system; Env.Stop kills it.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }
