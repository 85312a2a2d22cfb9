// Package fault gives the errors that users meet an ID, by which docs/troubleshooting.md explains them. Any package that makes such
// errors may import it. It has no texts.
package fault

import (
	"errors"
	"fmt"
)

// ID is how users find the paragraph about an error. Its first digit is the exit code of the command, and an ID never gets another meaning.
type ID string

// IDs of errors. Those that end with 00 are of all errors with that exit code that have no ID of their own.
const (
	Other    ID = "GRD-100"
	System   ID = "GRD-101" // embedded nodes need Linux
	Build    ID = "GRD-102" // the binary was built without its versions
	Files    ID = "GRD-103" // the limit of open files
	Sandbox  ID = "GRD-104" // sandboxes do not start
	Engine   ID = "GRD-105" // the container engine cannot run nodes
	Machine  ID = "GRD-106" // doctor found problems
	NotReady ID = "GRD-107" // a part of the landscape does not serve
	Hangs    ID = "GRD-108" // the process of the landscape does not answer
	Listen   ID = "GRD-109" // an address of this machine cannot be used
	Taken    ID = "GRD-110" // another program takes an address range
	Fallback ID = "GRD-111" // containers ran in sandboxes, which do not start any more
	Archive  ID = "GRD-112" // a backup is damaged
	Sealed   ID = "GRD-113" // a backup is encrypted, and not with the key that was named
	Bundle   ID = "GRD-114" // a bundle is damaged, or signed by somebody else
	Runtime  ID = "GRD-115" // a runtime cluster cannot hold a garden

	Usage  ID = "GRD-200"
	Config ID = "GRD-201" // the configuration has mistakes

	NotRunning ID = "GRD-300"
	Paused     ID = "GRD-301" // the landscape is paused
	Running    ID = "GRD-400"

	Timeout ID = "GRD-500"
	NoStop  ID = "GRD-501" // the landscape does not stop in time

	NotFound ID = "GRD-600"

	Directory ID = "GRD-700"
	Lost      ID = "GRD-701" // files that cannot be made again are gone
	Newer     ID = "GRD-702" // a newer binary has used the directory
	Changed   ID = "GRD-703" // the configuration is that of another landscape
	Foreign   ID = "GRD-704" // the directory has files of others
	Disk      ID = "GRD-705" // too little room
	Path      ID = "GRD-706" // servers refuse the path

	Port   ID = "GRD-800"
	Ranges ID = "GRD-801" // other landscapes have all address ranges

	Attention ID = "GRD-900"
	Asleep    ID = "GRD-901" // the shoot is hibernated
)

// OfExit is the ID of errors with an exit code that have no ID of their own.
func OfExit(code int) ID { return ID(fmt.Sprintf("GRD-%d00", code)) }

// identified is an error with an ID.
type identified struct {
	error
	id ID
}

func (e identified) Unwrap() error { return e.error }
func (e identified) FaultID() ID   { return e.id }

// New gives an error an ID, unless it has one.
func New(id ID, err error) error {
	if err == nil || Of(err) != "" {
		return err
	}
	return identified{err, id}
}

// Of returns the ID of an error, or of the first error that it wraps and that has one: an error with a method FaultID. It is empty if
// none has.
func Of(err error) ID {
	if found, ok := errors.AsType[interface {
		error
		FaultID() ID
	}](err); ok {
		return found.FaultID()
	}
	return ""
}
