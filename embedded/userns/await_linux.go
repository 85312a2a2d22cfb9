package userns

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/embedded/reexec"
)

// Await does nothing in a process that was not started by Start. In one that was, it waits for the users of its namespace and starts the program again,
// as root there. It returns an error, or not at all. Call it before anything else.
func Await() error {
	text, waits := os.LookupEnv(variable)
	if !waits {
		return nil
	}
	if err := os.Unsetenv(variable); err != nil {
		return err
	}
	descriptor, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("read %s: %w", variable, err)
	}
	parent := os.NewFile(uintptr(descriptor), "parent")
	n, _ := parent.Read(make([]byte, 1)) // nothing if the parent has ended, or could not make the users
	if err := parent.Close(); err != nil || n == 0 {
		return errors.Join(errors.New("the namespace of this process has no users"), err)
	}
	runtime.LockOSThread() // capabilities are those of a thread
	defer runtime.UnlockOSThread()
	if err := inheritNone(); err != nil {
		return err
	}
	return reexec.Self()
}

// inheritNone takes from this thread the capabilities that programs of other users would keep. Root has all of them anyway.
func inheritNone() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("drop ambient capabilities: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return fmt.Errorf("read capabilities: %w", err)
	}
	for i := range data {
		data[i].Inheritable = 0
	}
	if err := unix.Capset(&header, &data[0]); err != nil {
		return fmt.Errorf("drop inheritable capabilities: %w", err)
	}
	return nil
}
