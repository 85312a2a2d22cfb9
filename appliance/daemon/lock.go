// Package daemon is about the process that runs a landscape: the lock that allows only one, how it is started in
// namespaces of its own, and the control socket through which other commands watch and stop it. What the process does is
// none of its business.
package daemon

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ErrRunning is wrapped when another process holds the lock of the landscape.
var ErrRunning = errors.New("the landscape is running already")

// Lock is held for the life of a daemon. The kernel releases it when the process ends, however it ends.
type Lock struct{ file *os.File }

// Acquire takes the lock and writes the process id into the file, or returns ErrRunning with the holder's id.
func Acquire(file string) (*Lock, error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder := readPID(f)
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("%w (process %d)", ErrRunning, holder)
		}
		return nil, fmt.Errorf("lock %s: %w", file, err)
	}
	pid := []byte(strconv.Itoa(os.Getpid()) + "\n")
	if err := errors.Join(f.Truncate(0), write(f, pid)); err != nil {
		return nil, errors.Join(fmt.Errorf("write lock: %w", err), f.Close())
	}
	return &Lock{file: f}, nil
}

// Release gives the lock back; the file stays.
func (l *Lock) Release() error { return l.file.Close() }

// Holder returns the process id of the running daemon, or 0 when none runs.
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

// ending is how long the kernel may take to release the lock of a process that was killed.
const ending = 5 * time.Second

// LiveHolder is Holder for those who want the landscape for themselves: it waits for a holder that is ending already.
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

// WaitReleased returns once no daemon holds the lock, or false after the timeout.
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
		return -1 // held, but the id is not written yet
	}
	return pid
}

func write(f *os.File, text []byte) error {
	_, err := f.WriteAt(text, 0)
	return err
}
