package state

import (
	"errors"
	"fmt"

	"github.com/gardener-up/gardener-up/appliance/fault"
)

// ErrDirectory is wrapped by errors about an unusable state directory. Nothing in the directory was changed.
var ErrDirectory = errors.New("state directory")

// ErrNewer is wrapped by errors about a state directory that a newer binary has used. ErrDirectory is wrapped, too.
var ErrNewer = errors.New("newer release")

// InUseError says that an address which a landscape needs is in use.
type InUseError struct {
	Address string
	// For says what needs the address. Setting is the key or flag that changes the address.
	For, Setting string
	Err          error
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("%s is in use, but the %s needs it: %v", e.Address, e.For, e.Err)
}

func (e *InUseError) Unwrap() error { return e.Err }

// FaultID is that of package fault.
func (e *InUseError) FaultID() fault.ID { return fault.Port }

// Hint says what to do.
func (e *InUseError) Hint() string {
	return "end the process that listens there, or choose another address with " + e.Setting
}

// told is an error of another process, together with its kind.
type told struct {
	error
	kind error
}

func (t told) Unwrap() error { return t.kind }
