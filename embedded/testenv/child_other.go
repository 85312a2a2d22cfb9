//go:build !linux

package testenv

import "syscall"

// dieWithParent has no way to bind a process to its parent here; Env.Stop kills it.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }
