package app

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/gardener-up/gardener-up/appliance/archive"
	"github.com/gardener-up/gardener-up/appliance/archive/sealed"
	"github.com/gardener-up/gardener-up/appliance/backup"
	"github.com/gardener-up/gardener-up/appliance/backup/depot"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// supports refuses the state of a newer binary.
func supports(header archive.Header) error {
	return state.Supports(store.Release{Version: header.Version, Format: header.State, Kubernetes: header.Kubernetes})
}

// explainArchive gives an error of reading an archive its exit code and hint.
func explainArchive(name string, err error) error {
	switch {
	case errors.Is(err, archive.ErrDamaged):
		return &exitError{code: codeFailure, err: fault.New(fault.Archive, fmt.Errorf("%s: %w", name, err)), hint: `use another backup: "gardener backup list --in DIRECTORY"; nothing was changed`}
	case errors.Is(err, archive.ErrNewer), errors.Is(err, state.ErrNewer):
		return &exitError{code: codeFailure, err: fmt.Errorf("%s: %w", name, err), hint: "use the binary that made the backup, or a newer one; nothing was changed"}
	case errors.Is(err, sealed.ErrLocked):
		return &exitError{code: codeFailure, err: fault.New(fault.Sealed, fmt.Errorf("%s: %w", name, err)), hint: "name its key with --key FILE or --passphrase-file FILE; nothing was changed"}
	case errors.Is(err, sealed.ErrKey), errors.Is(err, sealed.ErrPlain):
		return &exitError{code: codeFailure, err: fault.New(fault.Sealed, fmt.Errorf("%s: %w", name, err)), hint: "use the key for which it was encrypted, or another backup; nothing was changed"}
	case errors.Is(err, depot.ErrLocation):
		return usageError(err, "name a file, or the URL of an object in a bucket")
	case errors.Is(err, fs.ErrNotExist):
		return &exitError{code: codeNotFound, err: fmt.Errorf("there is no file %s", name), hint: `see "gardener backup list --in DIRECTORY"`}
	}
	return cured(err, hintOfPlace(name))
}

// explainRestore does the same for an error of restoring.
func (l *landscape) explainRestore(name string, err error) error {
	const other = `"gardener down --purge" removes the landscape that is there`
	switch {
	case errors.Is(err, backup.ErrNotEmpty):
		return &exitError{code: codeState, err: err, hint: other + "; nothing was changed"}
	case errors.Is(err, daemon.ErrRunning):
		return &exitError{code: codeRunning, err: fmt.Errorf("landscape %q: %w", l.Name, err), hint: other}
	case errors.Is(err, backup.ErrElsewhere):
		return &exitError{code: codeState, err: fmt.Errorf("state directory %s: %w", l.paths.Root(), err), hint: "name that directory with --state-dir; nothing was changed"}
	case errors.Is(err, backup.ErrRoom):
		return &exitError{code: codeState, err: fault.New(fault.Disk, err), hint: "free room on the disk of " + l.paths.Root() + "; nothing was changed"}
	}
	return explainArchive(name, err)
}
