package reexec

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// deathSignal is the signal that the process gets when its parent ends, 0 if none. The kernel has it for each thread, and only the first
// one was given it. Variables are initialized on that thread.
var deathSignal = func() int32 {
	var number int32
	if err := unix.Prctl(unix.PR_GET_PDEATHSIG, uintptr(unsafe.Pointer(&number)), 0, 0, 0); err != nil {
		return 0
	}
	return number
}()

// Self does not return unless it fails. Deferred functions do not run. The program is the same file, also if another one has its name now.
func Self() error {
	runtime.LockOSThread() // becomes the first thread of the new program
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(deathSignal), 0, 0, 0); err != nil {
		return fmt.Errorf("keep the signal for the end of the parent: %w", err)
	}
	if err := syscall.Exec("/proc/self/exe", os.Args, os.Environ()); err != nil {
		return fmt.Errorf("start the program again: %w", err)
	}
	return nil
}
