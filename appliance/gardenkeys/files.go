package gardenkeys

import (
	"errors"
	"fmt"

	"github.com/gardener-up/gardener-up/appliance/pki"
)

// Files are the keys on the disk.
type Files struct {
	Keys pki.Rotation
	// Turn keeps backups away until the function that it returns is called: all of a backup must know the same keys. It returns an error
	// while a backup is made.
	Turn func() (release func() error, err error)
}

func (f Files) change(change func(pki.Rotation) error) (err error) {
	release, err := f.Turn()
	if err != nil {
		return fmt.Errorf("the keys of the garden cannot change now: %w", err)
	}
	defer func() { err = errors.Join(err, release()) }()
	return change(f.Keys)
}
