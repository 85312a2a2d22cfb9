package app

import (
	"errors"
	"fmt"
	"os"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/preflight"
	"github.com/gardener-up/gardener-up/appliance/state"
)

// occupy takes the lock of the landscape, loads its complete configuration and checks the machine. From its beginning on "gardener
// down" finds a landscape that starts. The lock is nil if the state directory cannot be made yet. After an error, the directory is as
// it was.
func occupy(p paths.Paths, load func() (*landscape, error)) (*landscape, *daemon.Lock, error) {
	made, err := reserve(p)
	if err != nil {
		return nil, nil, err
	}
	if made == nil { // the directory belongs to another program, or cannot be written
		l, err := load()
		if err != nil {
			return nil, nil, err
		}
		l.decision, err = preflight.Check(l.Landscape, p)
		return l, nil, err
	}
	if _, err := daemon.LiveHolder(p.Lock()); err != nil { // waits for one that is ending
		return nil, nil, err
	}
	lock, err := daemon.Acquire(p.Lock())
	if err != nil {
		return nil, nil, err
	}
	l, err := load()
	if err == nil {
		l.decision, err = preflight.CheckStopped(l.Landscape, p)
	}
	if err != nil {
		return nil, nil, errors.Join(err, made.undo(), lock.Release()) // in this order, so that no process holds the lock that is removed
	}
	return l, lock, nil
}

// reserved is what a start makes before it is known to be possible.
type reserved struct{ remove []string }

// reserve makes the state directory, so that there can be a lock in it. It makes nothing where other files are, and where it must
// not.
func reserve(p paths.Paths) (*reserved, error) {
	made := &reserved{}
	switch _, err := os.Stat(p.Lock()); {
	case err == nil:
		return made, nil
	case !errors.Is(err, os.ErrNotExist):
		return nil, nil
	}
	switch _, err := os.Stat(p.Root()); {
	case errors.Is(err, os.ErrNotExist):
		if err := os.MkdirAll(p.Root(), 0o700); err != nil {
			return nil, nil
		}
		made.remove = []string{p.Lock(), p.Root()}
	case err != nil || !state.OnlyOurs(p):
		return nil, nil
	default:
		made.remove = []string{p.Lock()}
	}
	return made, nil
}

// undo removes what reserve made, and the lock.
func (r *reserved) undo() error {
	var errs []error
	for _, path := range r.remove {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, fmt.Errorf("undo the start: %w", err))
		}
	}
	return errors.Join(errs...)
}
