package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/transfer"
)

// problem is how -o json, -o yaml and --progress=json print an error. The last one prints it in one line, as its events.
type problem struct {
	Error string `json:"error"`
	// ID is that of docs/troubleshooting.md. An interruption has none.
	ID   fault.ID `json:"id,omitempty"`
	Code int      `json:"exitCode"`
	Hint string   `json:"hint,omitempty"`
}

// chosenOutput is the value of -o, if the user has given one. Some verbs print YAML anyway, and their errors are for readers.
func chosenOutput(cmd *cobra.Command) string {
	if flag := cmd.Flag("output"); flag != nil && flag.Changed {
		return flag.Value.String()
	}
	return ""
}

// isServer reports whether a command runs a server of the landscape. The errors of servers are read in logs, where nobody waits for a hint.
func isServer(cmd *cobra.Command) bool {
	words := strings.Fields(cmd.CommandPath())
	return len(words) > 1 && (words[1] == "component" || words[1] == "daemon")
}

// report prints an error with its ID and its hint, and returns the exit code.
func report(err error, shown *display, w io.Writer) int {
	if err == nil {
		return codeOK
	}
	if other, is := errors.AsType[*answered](err); is {
		return other.code
	}
	p := shown.problem(err)
	switch { // no error of writing to standard error can be told
	case shown.output == "json" || shown.output == "yaml":
		_ = printAs(w, shown.output, p, nil)
		return p.Code
	case shown.progress == progressJSON:
		_ = json.NewEncoder(w).Encode(p)
		return p.Code
	case p.Code == codeInterrupted:
		_, _ = fmt.Fprintln(w, indented(shown.readable(w, p.Error)))
	default:
		_, _ = fmt.Fprintf(w, "%s %s\n", shown.paint(w, red, "error:"), indented(shown.readable(w, withID(p.Error, p.ID))))
	}
	if p.Hint != "" {
		_, _ = fmt.Fprintf(w, "hint:  %s\n", indented(shown.readable(w, p.Hint)))
	}
	return p.Code
}

// problem describes an error, and names the landscape in the commands that cure it. Servers say it to whoever has started them, who names it.
func (d *display) problem(err error) problem {
	p := problemOf(err, d.server)
	if d.server {
		return p
	}
	flags := d.flags()
	if other, is := errors.AsType[*elsewhere](err); is {
		flags = other.flags
	}
	p.Hint = named(p.Hint, flags)
	if p.Code != codeUsage { // which quotes the command that was wrong
		p.Error = named(p.Error, flags)
	}
	return p
}

// problemOf describes an error. Servers have no hints of the last resort.
func problemOf(err error, server bool) problem {
	coded := codedOf(err)
	if errors.Is(err, context.Canceled) {
		p := problem{Error: "interrupted", Code: codeInterrupted}
		if coded.code == codeInterrupted { // other hints are about failures
			p.Hint = coded.hint
		}
		return p
	}
	p := problem{Error: coded.Error(), ID: cmp.Or(fault.Of(coded), fault.OfExit(coded.code)), Code: coded.code, Hint: coded.hint}
	if p.Code == codeFailure && p.Hint == "" && !server {
		p.Hint = cmp.Or(cureOf(coded), lastResort)
	}
	return p
}

// codedOf returns the exit code and the hint of an error.
func codedOf(err error) *exitError {
	if coded, ok := errors.AsType[*exitError](err); ok {
		return coded
	}
	if errors.Is(err, transfer.ErrNothing) { // druid knows it by its code
		return &exitError{code: codeNotFound, err: err, hint: "see whether the store and its prefix are those to copy from"}
	}
	if mistake := ofFlagGroup(err); mistake != nil {
		return mistake
	}
	if isUsage(err) {
		return &exitError{code: codeUsage, err: err, hint: `see "gardener --help"`}
	}
	return &exitError{code: codeFailure, err: err}
}

// withID is a message with the ID by which docs/troubleshooting.md explains it.
func withID(message string, id fault.ID) string {
	if id == "" {
		return message
	}
	return fmt.Sprintf("%s (%s)", message, id)
}
