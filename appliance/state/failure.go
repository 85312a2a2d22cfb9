package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/ledger"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
)

// lastFailure is the content of a file in which a daemon leaves the reason of its end for the command that started it.
type lastFailure struct {
	Message string `json:"message"`
	Address string `json:"address,omitempty"`
	For     string `json:"for,omitempty"`
	Setting string `json:"setting,omitempty"`
	Running bool   `json:"running,omitempty"`
	State   bool   `json:"state,omitempty"`
	Newer   bool   `json:"newer,omitempty"`
	Cure    string `json:"cure,omitempty"`
	// ID is that of package fault.
	ID fault.ID `json:"id,omitempty"`
}

// NoteFailure writes the reason of a failed start to the file. A nil err removes the reason of an earlier start.
func NoteFailure(p paths.Paths, err error) error {
	if err == nil {
		if err := os.Remove(p.Run().Failure()); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("forget the previous failure: %w", err)
		}
		return nil
	}
	note := lastFailure{Message: err.Error(), Running: errors.Is(err, daemon.ErrRunning), State: errors.Is(err, ErrDirectory), Newer: errors.Is(err, ErrNewer), ID: fault.Of(err)}
	var inUse *InUseError
	if errors.As(err, &inUse) {
		note.Address, note.For, note.Setting, note.Message = inUse.Address, inUse.For, inUse.Setting, inUse.Err.Error()
	}
	if loss, ok := ledger.Lost(err); ok {
		note.Cure = loss.Cure
	}
	text, err := json.Marshal(note)
	if err != nil {
		return err
	}
	return pki.WriteFile(p.Run().Failure(), text)
}

// LastFailure returns why the daemon ended, or nil if it left no reason. If several parts failed, it is the first failure.
func LastFailure(p paths.Paths) error {
	text, err := os.ReadFile(p.Run().Failure())
	if err != nil {
		return crash(p)
	}
	var note lastFailure
	if json.Unmarshal(text, &note) != nil || note.Message == "" {
		return nil
	}
	if note.ID == "" {
		return note.failure()
	}
	return fault.New(note.ID, note.failure())
}

// failure is the error that was noted, of its kind.
func (note lastFailure) failure() error {
	switch cause := errors.New(note.Message); {
	case note.Address != "":
		return &InUseError{Address: note.Address, For: note.For, Setting: note.Setting, Err: cause}
	case note.Running:
		return told{cause, daemon.ErrRunning}
	case note.Cure != "":
		return told{cause, errors.Join(ErrDirectory, &ledger.LossError{Text: note.Message, Cure: note.Cure})}
	case note.Newer:
		return told{cause, errors.Join(ErrDirectory, ErrNewer)}
	case note.State:
		return told{cause, ErrDirectory}
	default:
		return cause
	}
}
