package app

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes. They are part of the interface for scripts.
const (
	codeOK          = 0
	codeFailure     = 1
	codeUsage       = 2
	codeNotRunning  = 3
	codeRunning     = 4
	codeTimeout     = 5
	codeNotFound    = 6
	codeState       = 7
	codeInUse       = 8
	codeAttention   = 9
	codeInterrupted = 130
)

var exitCodes = []struct {
	code    int
	meaning string
}{
	{codeOK, "success"},
	{codeFailure, "the operation failed; the message says why"},
	{codeUsage, "wrong command line or configuration; nothing was changed"},
	{codeNotRunning, "the landscape is not running"},
	{codeRunning, "the landscape is running already"},
	{codeTimeout, "a timeout was reached while waiting"},
	{codeNotFound, "the named object does not exist"},
	{codeState, "the state directory cannot be used; nothing in it was changed"},
	{codeInUse, "a port is in use by another process"},
	{codeAttention, "the landscape serves, but something in it needs attention"},
	{codeInterrupted, "interrupted by a signal"},
}

// exitError is an error with the exit code of the process and a hint about what to do next.
type exitError struct {
	code int
	err  error
	hint string
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func usageError(err error, hint string) error {
	return &exitError{code: codeUsage, err: err, hint: hint}
}

// isUsage recognises mistakes in the command line that cobra finds.
func isUsage(err error) bool {
	text := err.Error()
	for _, start := range []string{"unknown command", "unknown flag", "unknown shorthand", "accepts ", "requires ", "required flag", "invalid argument", "if any flags in the group"} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

// notRunning tells why the landscape ended last, if that was not asked for.
func notRunning(landscape string, ended error) error {
	err := errors.New("landscape " + landscape + " is not running")
	if ended != nil {
		err = fmt.Errorf("%w. Its last start ended by itself: %w", err, ended)
	}
	return &exitError{code: codeNotRunning, err: err, hint: `start it with "gardener up"`}
}

func newExitCodes() *cobra.Command {
	var text strings.Builder
	text.WriteString("gardener exits with one of these codes:\n\n")
	for _, c := range exitCodes {
		fmt.Fprintf(&text, "  %3d  %s\n", c.code, c.meaning)
	}
	return &cobra.Command{Use: "exit-codes", Short: "Explain the exit codes", Long: text.String()}
}
