package backup

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
)

// Turn is held while a backup is made. Who changes what must be the same in all parts of a backup takes it, too. If it is taken, the error
// is ErrAnother.
func Turn(p paths.Paths) (*daemon.Lock, error) {
	if err := os.MkdirAll(p.Run().Backup(), 0o700); err != nil {
		return nil, err
	}
	turn, err := daemon.Acquire(filepath.Join(p.Run().Backup(), "lock"))
	if errors.Is(err, daemon.ErrRunning) {
		return nil, ErrAnother
	}
	return turn, err
}

// locks keep processes from starting while their state is copied.
type locks []*daemon.Lock

// hold takes the lock of a state directory. If a process has it, running is true.
func hold(p paths.Paths) (held locks, running bool, err error) {
	lock, err := daemon.Acquire(p.Lock())
	switch {
	case errors.Is(err, daemon.ErrRunning):
		return nil, true, nil
	case err != nil:
		return nil, false, err
	}
	return locks{lock}, false, nil
}

func (l locks) release() error {
	var errs []error
	for _, lock := range l {
		errs = append(errs, lock.Release())
	}
	return errors.Join(errs...)
}
