package noexec

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// architectures are those of the system call numbers below, as the kernel tells them to filters.
var architectures = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// Offsets in the data that a filter sees, struct seccomp_data.
const (
	offsetCall         = 0
	offsetArchitecture = 4
)

// firstForeign is the first number of system calls of x32, another set of calls of the same architecture.
const firstForeign = 0x40000000

// Forbid makes every later attempt of this process to start a program fail with EPERM. It needs no privileges and
// cannot be taken back. It returns an error where the kernel has no filters of system calls.
func Forbid() error {
	if err := refuse(unix.SYS_EXECVE, unix.SYS_EXECVEAT); err != nil {
		return fmt.Errorf("forbid programs: %w", err)
	}
	return nil
}

// ForbidRemoval does the same with every attempt to remove a file or directory. Files can still replace others by being renamed.
func ForbidRemoval() error {
	if err := refuse(removals...); err != nil {
		return fmt.Errorf("forbid to remove files: %w", err)
	}
	return nil
}

// refuse makes system calls fail with EPERM, in all threads.
func refuse(calls ...uint32) error {
	architecture, known := architectures[runtime.GOARCH]
	if !known {
		return fmt.Errorf("unknown architecture %s", runtime.GOARCH)
	}
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	jump := func(condition uint16, value uint32, yes, no int) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | condition | unix.BPF_K, K: value, Jt: uint8(yes), Jf: uint8(no)}
	}
	answer := func(action uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
	}
	filter := []unix.SockFilter{
		load(offsetArchitecture),
		jump(unix.BPF_JEQ, architecture, 0, len(calls)+3), // else refuse
		load(offsetCall),
		jump(unix.BPF_JGE, firstForeign, len(calls)+1, 0),
	}
	for i, call := range calls {
		filter = append(filter, jump(unix.BPF_JEQ, call, len(calls)-i, 0))
	}
	filter = append(filter, answer(unix.SECCOMP_RET_ALLOW), answer(unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM)))
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread() // both calls must be made by one thread; the second one is for all threads
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return errno
	}
	return nil
}
