package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// rotateInterval is the time between two looks at the size of the log.
const rotateInterval = time.Second

// Log is a log file that standard output and standard error of this process go to.
type Log struct {
	File string
	// Older returns the name of the n-th older file, from 1 to Keep.
	Older func(n int) string
	Keep  int
	Size  int64 // from which on a new file is begun, in bytes
}

// Rotate begins a new file whenever the log is large enough, until ctx ends. All output of this process goes to the new file at
// once, including panics and the output of libraries. Rotate does nothing if this process logs elsewhere.
func (l Log) Rotate(ctx context.Context) error {
	for ticker := time.NewTicker(rotateInterval); ; {
		select {
		case <-ctx.Done():
			ticker.Stop()
			return nil
		case <-ticker.C:
		}
		if err := l.look(); err != nil {
			ticker.Stop()
			return fmt.Errorf("rotate the log: %w", err)
		}
	}
}

func (l Log) look() error {
	written, err := os.Stderr.Stat()
	if err != nil {
		return err
	}
	file, err := os.Stat(l.File)
	if errors.Is(err, os.ErrNotExist) || err == nil && (!os.SameFile(written, file) || file.Size() < l.Size) {
		return nil
	}
	if err != nil {
		return err
	}
	return l.rotate()
}

// rotate renames the files, the oldest first, and begins a new one.
func (l Log) rotate() error {
	for n := l.Keep; n > 0; n-- {
		from := l.File
		if n > 1 {
			from = l.Older(n - 1)
		}
		if err := atomicfile.Move(from, l.Older(n)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	file, err := os.OpenFile(l.File, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	for _, output := range []*os.File{os.Stdout, os.Stderr} {
		if err := syscall.Dup3(int(file.Fd()), int(output.Fd()), 0); err != nil {
			return err
		}
	}
	return nil
}

// Restart keeps the log of the last start under another name and removes its older files, before the next start.
func (l Log) Restart(previous string) error {
	for n := range l.Keep {
		if err := os.Remove(l.Older(n + 1)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove an old log: %w", err)
		}
	}
	if err := atomicfile.Move(l.File, previous); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("keep the previous log: %w", err)
	}
	return nil
}
