package app

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/ledger"
	"github.com/gardener-up/gardener-up/appliance/state"
)

// failure explains why a daemon ended before the landscape was ready.
func failure(l *landscape, ended error) error {
	cause := state.LastFailure(l.paths)
	if cause == nil && (ended == nil || stoppedEarly(ended)) {
		return &exitError{code: codeFailure, err: fmt.Errorf("landscape %q was stopped while it started", l.Name), hint: `start it again with "gardener up"`}
	}
	if cause == nil {
		cause = fmt.Errorf("the landscape's process ended: %w%s", ended, lastError(l.paths.Logs().Current()))
	}
	return explainStart(l, cause)
}

// stoppedEarly recognises a process that was asked to end before it could react.
func stoppedEarly(ended error) bool {
	exit, ok := errors.AsType[*exec.ExitError](ended)
	if !ok {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGTERM
}

// explainStart chooses the exit code and the hint for an error of preflight or of the daemon.
func explainStart(l *landscape, err error) error {
	var inUse *state.InUseError
	loss, isLoss := ledger.Lost(err)
	coded, isCoded := errors.AsType[*exitError](err)
	switch {
	case isCoded:
		return coded
	case isLoss:
		// What keeps clusters running tells the cure in its text, since a status has no hint.
		text := strings.ReplaceAll(err.Error(), " ("+loss.Cure+")", "")
		return &exitError{code: codeState, err: fault.New(fault.Lost, errors.New(text)), hint: loss.Cure}
	case errors.Is(err, daemon.ErrRunning):
		return &exitError{code: codeRunning, err: fmt.Errorf("landscape %q: %w", l.Name, err), hint: `see "gardener status"; stop it with "gardener down"`}
	case errors.As(err, &inUse):
		return &exitError{code: codeInUse, err: err, hint: inUse.Hint()}
	case errors.Is(err, state.ErrNewer):
		return &exitError{code: codeState, err: err, hint: hintNewer(state.WayBack(l.paths))}
	case errors.Is(err, daemon.ErrNamespaces):
		return &exitError{code: codeFailure, err: err, hint: daemon.NamespacesCure}
	case fault.Of(err) == fault.Path:
		return &exitError{code: codeState, err: err, hint: "choose a directory with another name by --state-dir"}
	case errors.Is(err, state.ErrDirectory):
		return &exitError{code: codeState, err: err, hint: `choose another --state-dir, or remove this landscape with "gardener down --purge"`}
	}
	return &exitError{code: codeFailure, err: err, hint: fmt.Sprintf("the log is %s; try %q", l.paths.Logs().Current(), "gardener logs")}
}

// hintNewer says what to do with a state that a newer binary has used. wayBack is the command that goes back to a copy of it,
// or empty if no copy suits this binary.
func hintNewer(wayBack string) string {
	const hint = "start the landscape with that newer binary"
	if wayBack == "" {
		return hint
	}
	return hint + ". Or go back to the copy from before the upgrade, which loses every later change of the landscape. Then run this command first:\n" + wayBack
}
