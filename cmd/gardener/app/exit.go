package app

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/neighbours"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/appliance/state"
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

// nameStateDir is the hint of errors of a place for the state directory.
const nameStateDir = "name the state directory by its whole path, with --state-dir"

// unreadable is an error of a state directory whose condition cannot be found out.
func unreadable(err error) error {
	return &exitError{code: codeState, err: err, hint: "look at its rights, at the room on its disk and at files in its place; another --state-dir holds another landscape"}
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

// notRunning is the error of what needs a landscape that runs.
func (l *landscape) notRunning() error {
	if pause, paused := state.Paused(l.paths); paused {
		return pausedError("landscape "+l.Name, l.command("resume"), pause)
	}
	err := notRunning(l.Name, l.command("up"), state.LastFailure(l.paths))
	if others, unknown := neighbours.All(servers.FrontDoor); unknown == nil { // a hint is no place for another error
		err.hint += runningHint(others)
	}
	return err
}

// runningHint names landscapes that run, since a command without --landscape means the one named "local".
func runningHint(all []neighbours.Landscape) string {
	var names []string
	for _, one := range all {
		if one.Process != 0 && one.Paused == nil {
			names = append(names, one.Name)
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("; another landscape runs: use it with --landscape %s", names[0])
	}
	return fmt.Sprintf("; other landscapes run: use one with --landscape, of %s", strings.Join(names, ", "))
}

// pausedError says since when a landscape is paused. resume is the command that ends that.
func pausedError(what, resume string, pause state.Pause) error {
	since := ""
	if !pause.Since.IsZero() {
		since = " since " + pause.Since.Local().Format(time.DateTime)
	}
	return &exitError{code: codeNotRunning, err: fault.New(fault.Paused, fmt.Errorf("%s is paused%s", what, since)), hint: fmt.Sprintf("resume it with \"%s\"", resume)}
}

// notRunning returns the reason for which the landscape ended last, unless a user stopped it. up is the command that starts it.
func notRunning(landscape, up string, ended error) *exitError {
	err := fmt.Errorf("landscape %q is not running", landscape)
	if ended != nil {
		err = fmt.Errorf("%w. Its last start ended by itself: %v", err, ended) // whose ID is that of another failure
	}
	return &exitError{code: codeNotRunning, err: err, hint: fmt.Sprintf("start it with \"%s\"", up)}
}

// exitCode is how "gardener exit-codes -o json" prints an exit code.
type exitCode struct {
	Code    int    `json:"code"`
	Meaning string `json:"meaning"`
}

func newExitCodes() *cobra.Command {
	var output string
	var text strings.Builder
	text.WriteString("gardener exits with one of these codes:\n\n")
	all := []exitCode{}
	for _, c := range exitCodes {
		fmt.Fprintf(&text, "  %3d  %s\n", c.code, c.meaning)
		all = append(all, exitCode{c.code, c.meaning})
	}
	text.WriteString("\nEach error ends with an ID, such as " + string(fault.NotRunning) + ", which docs/troubleshooting.md explains. Its first digit is the exit code.\n")
	cmd := &cobra.Command{
		Use: "exit-codes", GroupID: "parts", Short: "Explain the exit codes", Long: text.String(), Args: needsNone,
		Example: `  gardener exit-codes
  gardener exit-codes -o json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printAs(cmd.OutOrStdout(), output, all, func() [][]string {
				rows := [][]string{{"CODE", "MEANING"}}
				for _, c := range all {
					rows = append(rows, []string{fmt.Sprint(c.Code), c.Meaning})
				}
				return rows
			})
		},
	}
	addOutput(cmd, &output)
	return cmd
}
