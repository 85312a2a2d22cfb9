package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gardener-up/gardener-up/appliance/archive"
	"github.com/gardener-up/gardener-up/appliance/backup/depot"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/ledger"
	"github.com/gardener-up/gardener-up/appliance/store"
)

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
	where, name, err := c.target(header)
	if err != nil {
		return Made{}, err
	}
	to, err := depot.Open(ctx, where) // before anything is asked to store its changes
	if err != nil {
		return Made{}, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	turn, err := await(ctx, c.Paths, turn, ErrAnother)
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
	made, err := c.write(ctx, header, &taken, to, name)
	made.Place = where
	return made, err
}

// take takes the etcds, and then the stores and the keys. Meanwhile no key changes: a key that encrypts objects in an etcd that was taken
// could be gone before the keys are read, and authorities in the etcd of a seed could be older than those of the garden. That is enough.
// What is read while the archive is written has no keys of the landscape: the databases are copies, the backups and volumes of shoots
// have keys of shoots only, and a landscape that is stopped cannot rotate, because its lock is held until the archive is complete.
func (c Creation) take(ctx context.Context, t *taken) (_ []directory, err error) {
	lock, err := await(ctx, c.Paths, Keys, ErrKeys)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	dirs, err := t.etcds(ctx, c.Paths)
	if err != nil {
		return nil, err
	}
	for i := range dirs {
		if err := dirs[i].keep(ctx); err != nil {
			return nil, err
		}
	}
	return dirs, nil
}

// write takes everything and writes the archive. A place may be slow to take it.
func (c Creation) write(ctx context.Context, header archive.Header, t *taken, to depot.Depot, name string) (_ Made, err error) {
	dirs, err := c.take(ctx, t)
	defer func() { err = errors.Join(err, t.release()) }()
	if err != nil {
		return Made{}, err
	}
	made := Made{File: to.Locate(name), Encrypted: c.Recipients.Some(), Identity: header.Identity}
	var manifest archive.Manifest
	made.Bytes, err = to.Write(ctx, name, func(w io.Writer) error {
		manifest, err = c.pack(ctx, w, header, t, dirs)
		return err
	})
	if err != nil {
		return Made{}, fmt.Errorf("write %s: %w", made.File, err)
	}
	made.Content, made.Entries, made.Warnings = manifest.Bytes(), len(manifest.Entries), manifest.Warnings
	return made, nil
}

// pack writes the archive, encrypted if it has recipients.
func (c Creation) pack(ctx context.Context, w io.Writer, header archive.Header, t *taken, dirs []directory) (archive.Manifest, error) {
	hidden, err := c.Recipients.Writer(w)
	if err != nil {
		return archive.Manifest{}, err
	}
	out, err := archive.NewWriter(hidden, header)
	if err != nil {
		return archive.Manifest{}, err
	}
	for i, dir := range dirs {
		if err := dir.addTo(ctx, out, len(dirs)-i); err != nil {
			return archive.Manifest{}, err
		}
	}
	for _, text := range t.warnings {
		out.Warn(text)
	}
	manifest, err := out.Close()
	return manifest, errors.Join(err, hidden.Close())
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
