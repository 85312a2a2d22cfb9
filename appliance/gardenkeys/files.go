package gardenkeys

import (
	"errors"
	"fmt"

	"github.com/gardener-up/gardener-up/appliance/pki"
)

// Files are the keys on the disk.
type Files struct {
	Keys pki.Rotation
	// Turn keeps backups from taking keys and etcds until the function that it returns is called: both must know the same keys. It returns
	// an error while a backup takes them, which lasts as long as copies of the etcds on this machine, and not until the backup is uploaded.
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
