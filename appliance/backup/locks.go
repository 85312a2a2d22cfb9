package backup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
)

// turn is held while a backup is made. If another one is being made, the error is ErrAnother.
func turn(p paths.Paths) (*daemon.Lock, error) { return acquire(p, "lock", ErrAnother) }

// Keys is held while a backup takes the etcds and the keys, and by who changes keys: those of a backup must fit to its etcds. If somebody
// else holds it, the error is ErrKeys.
func Keys(p paths.Paths) (*daemon.Lock, error) { return acquire(p, "keys", ErrKeys) }

func acquire(p paths.Paths, name string, taken error) (*daemon.Lock, error) {
	if err := os.MkdirAll(p.Run().Backup(), 0o700); err != nil {
		return nil, err
	}
	lock, err := daemon.Acquire(filepath.Join(p.Run().Backup(), name))
	if errors.Is(err, daemon.ErrRunning) {
		return nil, taken
	}
	return lock, err
}

// waitTimeout is how long a backup waits for another one, such as one of the schedule, and for a change of keys.
const waitTimeout = time.Minute

// await acquires a lock once nobody else holds it, for which the error is taken.
func await(ctx context.Context, p paths.Paths, acquire func(paths.Paths) (*daemon.Lock, error), taken error) (*daemon.Lock, error) {
	for deadline := time.Now().Add(waitTimeout); ; {
		lock, err := acquire(p) // which waits a second
		switch {
		case !errors.Is(err, taken):
			return lock, err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case time.Now().After(deadline):
			return nil, err
		}
	}
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
