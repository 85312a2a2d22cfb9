package backup

import (
	"errors"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
)

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
