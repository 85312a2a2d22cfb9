package backup

import (
	"context"
	"errors"
	"time"

	"github.com/gardener-up/gardener-up/appliance/archive/sealed"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/snapshots"
)

// Errors of Create.
var (
	// ErrNone means that the state directory holds no landscape.
	ErrNone = errors.New("there is no landscape")
	// ErrContainers means that state of the landscape is in containers, which are not backed up.
	ErrContainers = errors.New("the first seed is made of containers, whose state is outside of the state directory")
	// ErrAnother means that another backup is being made.
	ErrAnother = errors.New("another backup of the landscape is being made")
	// ErrKeys means that keys are changed, or that a backup takes them.
	ErrKeys = errors.New("the keys of the landscape are in use by a backup or a rotation")
)

// Creation makes a backup.
type Creation struct {
	Paths   paths.Paths
	Version string // of the binary
	// To is a directory or the URL of a bucket, or the name of the archive if it ends with .tar.zst or .tar.zst.age.
	To  string
	Now func() time.Time
	// Recipients are for whom the archive is encrypted.
	Recipients sealed.Recipients
	// Shoots asks the etcds of all shoots of a running landscape to store their last changes, and returns what is not backed up. It is
	// not called for a landscape that is stopped.
	Shoots func(context.Context) (warnings []string, err error)
	// Access is how the etcds of running processes are reached.
	Access Access
}

// Access is how an etcd of the running process of a state directory is reached, whose port is in the store.
type Access func(p paths.Paths, name string, port int32) snapshots.Access

// Made describes a backup that was made.
type Made struct {
	File string `json:"file"`
	// Place is the directory or the bucket.
	Place string `json:"-"`
	// Identity is that of the landscape.
	Identity  string `json:"identity"`
	Encrypted bool   `json:"encrypted,omitempty"`
	// Bytes is the size of the archive, Content that of all files in it.
	Bytes    int64    `json:"bytes"`
	Content  int64    `json:"content"`
	Entries  int      `json:"entries"`
	Warnings []string `json:"warnings,omitempty"`
	// Removed are older backups of the landscape that were removed.
	Removed []string `json:"removed,omitempty"`
}
