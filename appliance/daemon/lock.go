// Package daemon handles the process that runs a landscape: the lock that allows only one such process, its start in
// separate namespaces, and the control socket for other commands. The package does not know what the process runs.
package daemon

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ErrRunning is wrapped when another process holds the lock of the landscape.
var ErrRunning = errors.New("the landscape is running already")

// Lock is held for the life of a daemon. The kernel releases it when the process ends, however it ends.
type Lock struct{ file *os.File }

// Holder holds a shared lock for an instant. Acquire waits that long, so that a command that looks does not keep a daemon
// from starting.
const (
	looking     = time.Second
	lookingStep = 5 * time.Millisecond
)

// Acquire takes the lock and writes the process ID into the file. If another process holds the lock, the error is ErrRunning
// with the ID of that process. A process that was handed the lock of the file has it already.
func Acquire(file string) (*Lock, error) {
	f, err := handed(file)
	if err != nil {
		return nil, err
	}
	if f == nil {
		if f, err = os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
			return nil, fmt.Errorf("open lock: %w", err)
		}
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	for deadline := time.Now().Add(looking); errors.Is(err, syscall.EWOULDBLOCK) && time.Now().Before(deadline); time.Sleep(lookingStep) {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err != nil {
		holder := readPID(f)
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("%w (process %d)", ErrRunning, holder)
		}
		return nil, fmt.Errorf("lock %s: %w", file, err)
	}
	if !names(file, f) { // another process, which failed to start, removed the file meanwhile
		if err := f.Close(); err != nil {
			return nil, err
		}
		return Acquire(file)
	}
	l := &Lock{file: f}
	if err := l.note(os.Getpid()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

// note writes the ID of the process that holds the lock.
func (l *Lock) note(pid int) error {
	if err := errors.Join(l.file.Truncate(0), write(l.file, []byte(strconv.Itoa(pid)+"\n"))); err != nil {
		return fmt.Errorf("write lock: %w", err)
	}
	return nil
}

// Release releases the lock and keeps the file. A child that was handed the lock keeps it.
func (l *Lock) Release() error {
	if l == nil {
		return nil
	}
	return l.file.Close()
}

// Holder returns the ID of the running daemon's process, or 0 if none runs.
func Holder(file string) (int, error) {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("open lock: %w", err)
	}
	defer f.Close()
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return readPID(f), nil
	}
	if err != nil {
		return 0, fmt.Errorf("look at lock %s: %w", file, err)
	}
	return 0, nil
}

// ending is how long the kernel may take to release the lock of a killed process.
const ending = 5 * time.Second

// LiveHolder is Holder for callers that are about to take the lock. It waits for the end of a holder that is ending already.
func LiveHolder(file string) (int, error) {
	pid, err := Holder(file)
	if err != nil || pid <= 0 {
		return pid, err
	}
	if cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && len(cmdline) > 0 {
		return pid, nil
	}
	if released, err := WaitReleased(file, ending); released || err != nil {
		return 0, err
	}
	return pid, nil
}

// WaitReleased waits until no daemon holds the lock. It returns false after the timeout.
func WaitReleased(file string, timeout time.Duration) (bool, error) {
	for deadline := time.Now().Add(timeout); ; time.Sleep(50 * time.Millisecond) {
		pid, err := Holder(file)
		if pid == 0 || err != nil {
			return err == nil, err
		}
		if time.Now().After(deadline) {
			return false, nil
		}
	}
}

func readPID(f *os.File) int {
	text := make([]byte, 20)
	n, _ := f.ReadAt(text, 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	if err != nil {
		return -1 // the lock is held, but the ID is not written yet
	}
	return pid
}

func write(f *os.File, text []byte) error {
	_, err := f.WriteAt(text, 0)
	return err
}

// hand gives the lock to a child that is about to start. The lock belongs to the open file, which both then have, so that nobody
// else gets it in between.
func (l *Lock) hand(cmd *exec.Cmd) {
	cmd.ExtraFiles = []*os.File{l.file}
	cmd.Env = append(os.Environ(), handedVariable+"="+strconv.Itoa(firstExtra))
}
