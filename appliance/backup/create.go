package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gardener-up/gardener-up/appliance/archive"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/ledger"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/snapshots"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// Errors of Create.
var (
	// ErrNone means that the state directory holds no landscape.
	ErrNone = errors.New("there is no landscape")
	// ErrContainers means that state of the landscape is in containers, which are not backed up.
	ErrContainers = errors.New("the first seed is made of containers, whose state is outside of the state directory")
	// ErrAnother means that another backup is being made.
	ErrAnother = errors.New("another backup of the landscape is being made")
)

// suffix of the names of archives.
const suffix = ".tar.zst"

// Creation makes a backup.
type Creation struct {
	Paths   paths.Paths
	Version string // of the binary
	// To is a directory, or the name of the archive if it ends with .tar.zst.
	To  string
	Now func() time.Time
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
	// Bytes is the size of the archive, Content that of all files in it.
	Bytes    int64    `json:"bytes"`
	Content  int64    `json:"content"`
	Entries  int      `json:"entries"`
	Warnings []string `json:"warnings,omitempty"`
}

// Create makes a backup of a landscape, which may run. The archive has its name only when it is complete and on the disk.
//
// The order makes it consistent: from the inside to the outside. First the etcds of shoots store their changes, then the etcds of seeds are
// read, then that of the garden, then the store and the keys. So what the inner cluster depends on is at least as new as that cluster: the key
// that encrypts the objects of a shoot is in its seed before the shoot uses it, the control plane of a shoot is ordered in the garden before
// its seed runs it, and addresses of shoots are in the store before anybody learns them. What is newer outside than inside is what
// controllers see after each crash: they reconcile it. A key that left the outside was unused inside for minutes.
func (c Creation) Create(ctx context.Context) (_ Made, err error) {
	header, err := c.header()
	if err != nil {
		return Made{}, err
	}
	turn, err := Turn(c.Paths)
	if err != nil {
		return Made{}, err
	}
	defer func() { err = errors.Join(err, turn.Release()) }()
	work := filepath.Join(c.Paths.Run().Backup(), "work")
	if err := os.RemoveAll(work); err != nil { // of a backup that was killed
		return Made{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()

	lock, running, err := hold(c.Paths)
	if err != nil {
		return Made{}, err
	}
	defer func() { err = errors.Join(err, lock.release()) }()
	taken := taken{work: work, running: running, access: c.Access}
	if running && c.Shoots != nil {
		if taken.warnings, err = c.Shoots(ctx); err != nil {
			return Made{}, err
		}
	} else if err := ledger.Check(c.Paths); !running && err != nil {
		return Made{}, err
	}
	return c.write(ctx, header, &taken)
}

// write takes the etcds and writes the archive.
func (c Creation) write(ctx context.Context, header archive.Header, t *taken) (_ Made, err error) {
	dirs, err := t.etcds(ctx, c.Paths)
	defer func() { err = errors.Join(err, t.release()) }()
	if err != nil {
		return Made{}, err
	}
	made := Made{File: c.file(header)}
	if err := os.MkdirAll(filepath.Dir(made.File), 0o700); err != nil {
		return Made{}, err
	}
	var manifest archive.Manifest
	err = atomicfile.WriteBy(made.File, 0o600, func(w io.Writer) error {
		out, err := archive.NewWriter(w, header)
		if err != nil {
			return err
		}
		for _, dir := range dirs {
			if err := dir.addTo(ctx, out); err != nil {
				return err
			}
		}
		for _, text := range t.warnings {
			out.Warn(text)
		}
		manifest, err = out.Close()
		return err
	})
	if err != nil {
		return Made{}, fmt.Errorf("write %s: %w", made.File, err)
	}
	info, err := os.Stat(made.File)
	if err != nil {
		return Made{}, err
	}
	made.Bytes, made.Content, made.Entries, made.Warnings = info.Size(), manifest.Bytes(), len(manifest.Entries), manifest.Warnings
	return made, nil
}

// header reads which landscape it is.
func (c Creation) header() (archive.Header, error) {
	s, err := store.Read(c.Paths.Store())
	if errors.Is(err, os.ErrNotExist) {
		return archive.Header{}, ErrNone
	}
	if err != nil {
		return archive.Header{}, err
	}
	defer s.Close()
	id, known, err := s.Identity()
	if err != nil {
		return archive.Header{}, err
	}
	if !known {
		return archive.Header{}, ErrNone
	}
	if id.Provider != "" && id.Provider != config.ProviderEmbedded {
		return archive.Header{}, ErrContainers
	}
	release, _, err := s.Release()
	return archive.Header{
		Version: c.Version, State: release.Format, Kubernetes: release.Kubernetes, Landscape: id.Name, Identity: id.ID,
		Provider: config.ProviderEmbedded, StateDir: c.Paths.Root(), Created: c.Now().UTC().Truncate(time.Second),
	}, err
}

func (c Creation) file(header archive.Header) string {
	if strings.HasSuffix(c.To, suffix) {
		return c.To
	}
	return filepath.Join(c.To, header.Landscape+"-"+header.Created.Format("20060102T150405Z")+suffix)
}
