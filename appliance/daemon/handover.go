package daemon

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// handedVariable is the number of the descriptor by which a child got the lock of its parent.
const handedVariable = "GARDENER_HANDED_LOCK"

// firstExtra is the number of the first extra file of a child.
const firstExtra = 3

// hand gives the lock to a child that is about to start. The lock belongs to the open file, which both then have, so that nobody
// else gets it in between.
func (l *Lock) hand(cmd *exec.Cmd) {
	cmd.ExtraFiles = []*os.File{l.file}
	cmd.Env = append(os.Environ(), handedVariable+"="+strconv.Itoa(firstExtra))
}

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
