package daemon

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// handedVariable is the number of the descriptor by which a child got the lock of its parent.
const handedVariable = "GARDENER_HANDED_LOCK"

// firstExtra is the number of the first extra file of a child.
const firstExtra = 3

// handed returns the file of the lock that this process was handed, or nil.
func handed(file string) (*os.File, error) {
	text, found := os.LookupEnv(handedVariable)
	if !found {
		return nil, nil
	}
	descriptor, err := strconv.Atoi(text)
	if err != nil {
		return nil, fmt.Errorf("%s is %q: %w", handedVariable, text, err)
	}
	if err := os.Unsetenv(handedVariable); err != nil { // children do not have it
		return nil, err
	}
	syscall.CloseOnExec(descriptor)
	f := os.NewFile(uintptr(descriptor), file)
	if !names(file, f) {
		return nil, errors.Join(fmt.Errorf("the lock that was handed over is not %s", file), f.Close())
	}
	return f, nil
}

// names tells whether the name is still that of the open file.
func names(name string, f *os.File) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(name)
	return err == nil && os.SameFile(open, named)
}
