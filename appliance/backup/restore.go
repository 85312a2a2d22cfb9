package backup

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/archive"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/ledger"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/snapshots"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/embedded/diskspace"
	"github.com/gardener-up/gardener-up/embedded/etcd"
)

// reserve is how many bytes of the disk stay free after a restoration. The etcds that are made of snapshots need room, too.
const reserve = 1 << 30

// Errors of Restore, which has changed nothing then.
var (
	// ErrNotEmpty means that the state directory is not empty.
	ErrNotEmpty = errors.New("it is not empty")
	// ErrElsewhere means that the path of the state directory is not that of the archive.
	ErrElsewhere = errors.New("it is not the directory of the landscape that was backed up")
	// ErrRoom means that the disk has too little room.
	ErrRoom = errors.New("there is too little room on the disk")
)

// Restoration restores a whole landscape.
type Restoration struct {
	Paths   paths.Paths
	Archive Source
	// Etcd is the configuration of an etcd as far as its data depend on it. id is that of the landscape.
	Etcd func(p paths.Paths, id, name string) etcd.Config
	// Supports refuses what a newer binary has stored.
	Supports func(archive.Header) error
}

// Restored describes a restoration.
type Restored struct {
	archive.Header
	Entries  int      `json:"entries"`
	Content  int64    `json:"content"` // bytes of all files
	Warnings []string `json:"warnings,omitempty"`
}

// Restore makes the state directory of a landscape from an archive. The directory must not exist, or be empty, or have the rest of a
// restoration that was interrupted. The whole archive is checked before anything is written. While the directory is incomplete, a file in it
// says so, and no landscape starts in it. After an error, the directory is empty again.
func (r Restoration) Restore(ctx context.Context) (_ Restored, err error) {
	if pid, err := daemon.Holder(r.Paths.Lock()); err != nil || pid != 0 {
		return Restored{}, cmp.Or(err, daemon.ErrRunning)
	}
	header, manifest, err := r.check(ctx)
	if err != nil {
		return Restored{}, err
	}
	if err := empty(r.Paths); err != nil {
		return Restored{}, err
	}
	_, err = os.Lstat(r.Paths.Root())
	existed := err == nil
	if err := os.MkdirAll(r.Paths.Root(), 0o700); err != nil {
		return Restored{}, err
	}
	lock, err := daemon.Acquire(r.Paths.Lock())
	if err != nil {
		return Restored{}, err
	}
	defer func() {
		err = errors.Join(err, lock.Release())
		if err != nil {
			_ = os.Remove(r.Paths.Lock()) // both fail if there is more in the directory
			if !existed {
				_ = os.Remove(r.Paths.Root())
			}
		}
	}()
	if err := empty(r.Paths); err != nil { // nobody else writes into it from here on
		return Restored{}, err
	}
	if err := r.room(manifest); err != nil {
		return Restored{}, err
	}
	if err := r.begin(header); err != nil {
		return Restored{}, errors.Join(err, clean(r.Paths))
	}
	if err := r.fill(ctx, header, manifest); err != nil {
		return Restored{}, errors.Join(err, clean(r.Paths))
	}
	return Restored{Header: header, Entries: len(manifest.Entries), Content: manifest.Bytes(), Warnings: manifest.Warnings}, r.end()
}

// check reads the whole archive.
func (r Restoration) check(ctx context.Context) (archive.Header, archive.Manifest, error) {
	header, manifest, err := r.Archive.Verify(ctx)
	if err != nil {
		return header, manifest, err
	}
	for _, entry := range manifest.Entries {
		if !known(entry) {
			return header, manifest, fmt.Errorf("%w: %q belongs to no landscape", archive.ErrDamaged, entry.Path)
		}
	}
	if header.StateDir != r.Paths.Root() {
		return header, manifest, fmt.Errorf("%w: %s", ErrElsewhere, header.StateDir)
	}
	return header, manifest, r.Supports(header)
}

// parts are the entries of a state directory that archives have.
var parts = []string{"appliance.db", "pki", "dns", "etcd", "snapshots", "backups", "volumes"}

// known tells whether a landscape has such an entry. Links are only in what tenants write.
func known(entry archive.Entry) bool {
	name := entry.Path
	if words := strings.SplitN(name, "/", 3); words[0] == "seeds" && len(words) == 3 {
		name = words[2]
	}
	first, _, _ := strings.Cut(name, "/")
	if (entry.Kind == archive.Link || entry.Kind == archive.HardLink) && first != "volumes" {
		return false
	}
	if entry.Kind == archive.HardLink && !strings.HasPrefix(entry.Target, strings.TrimSuffix(entry.Path, name)+"volumes/") {
		return false
	}
	return slices.Contains(parts, first) || name == "run/landscape.yaml"
}

// begin notes that the directory is incomplete.
func (r Restoration) begin(header archive.Header) error {
	if err := clean(r.Paths); err != nil {
		return err
	}
	text, err := json.Marshal(struct {
		Archive string    `json:"archive"`
		Begun   time.Time `json:"begun"`
		Of      string    `json:"of"`
	}{r.Archive.Location, time.Now().UTC(), header.Identity})
	if err != nil {
		return err
	}
	return atomicfile.Write(paths.Restoring(r.Paths), text, 0o600)
}

// fill extracts the archive and makes etcds of snapshots.
func (r Restoration) fill(ctx context.Context, header archive.Header, verified archive.Manifest) error {
	root, err := os.OpenRoot(r.Paths.Root())
	if err != nil {
		return err
	}
	defer root.Close()
	var again archive.Header
	var manifest archive.Manifest
	err = r.Archive.read(ctx, func(in io.Reader) (err error) {
		again, manifest, err = archive.Extract(ctx, in, root)
		return err
	})
	if err != nil {
		return err
	}
	if again != header || !slices.Equal(manifest.Entries, verified.Entries) {
		return fmt.Errorf("%w: it was changed meanwhile", archive.ErrDamaged)
	}
	for _, p := range directories(r.Paths, manifest) {
		if err := r.complete(ctx, p, header); err != nil {
			return err
		}
	}
	return nil
}

// directories are the state directories in the archive, that of the landscape first.
func directories(root paths.Paths, manifest archive.Manifest) []paths.Paths {
	all := []paths.Paths{root}
	for _, entry := range manifest.Entries {
		if ok, _ := path.Match("seeds/*/appliance.db", entry.Path); ok {
			all = append(all, root.Seed(strings.Split(entry.Path, "/")[1]))
		}
	}
	return all
}

// complete makes the etcds of a state directory, and looks whether a landscape can start in it.
func (r Restoration) complete(ctx context.Context, p paths.Paths, header archive.Header) error {
	s, err := store.Read(p.Store())
	if err != nil {
		return err
	}
	defer s.Close()
	id, _, err := s.Identity()
	if err != nil {
		return err
	}
	if p == r.Paths && (id.ID != header.Identity || id.Name != header.Landscape) {
		return fmt.Errorf("%w: its header is that of another landscape", archive.ErrDamaged)
	}
	noted, _, err := s.Ledger()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(noted.Etcds)) {
		if _, err := os.Stat(p.Etcd(name)); err == nil {
			continue // taken from a stopped landscape
		}
		if err := os.MkdirAll(p.Etcd(""), 0o700); err != nil {
			return err
		}
		_, err := snapshots.Restoration{
			Paths: p, Etcd: r.Etcd(p, id.ID, name), Cluster: noted.Etcds[name], Now: time.Now(), Log: logr.Discard(),
		}.Run(ctx)
		if err != nil {
			return fmt.Errorf("restore %s: %w", name, err)
		}
	}
	return ledger.Compare(p)
}

// end makes the content durable before the directory counts as complete.
func (r Restoration) end() error {
	if err := flush(r.Paths.Root()); err != nil {
		return fmt.Errorf("write the state directory to the disk: %w", err)
	}
	if err := os.Remove(paths.Restoring(r.Paths)); err != nil {
		return err
	}
	return flush(r.Paths.Root())
}

func (r Restoration) room(manifest archive.Manifest) error {
	left, err := diskspace.Free(r.Paths.Root())
	if err != nil {
		return err
	}
	if need := manifest.Bytes() + reserve; left < need {
		return fmt.Errorf("%w: %d MiB are needed and %d MiB are free", ErrRoom, need>>20, left>>20)
	}
	return nil
}

// empty refuses a directory with files, unless they are those of a restoration that was interrupted.
func empty(p paths.Paths) error {
	entries, err := os.ReadDir(p.Root())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Lstat(paths.Restoring(p)); err == nil {
		return nil
	}
	for _, entry := range entries {
		if filepath.Join(p.Root(), entry.Name()) != p.Lock() && !atomicfile.IsTemporary(entry.Name()) {
			return fmt.Errorf("state directory %s: %w", p.Root(), ErrNotEmpty)
		}
	}
	return nil
}

// clean removes what a restoration has written. The note that says so goes last.
func clean(p paths.Paths) error {
	for _, name := range append(slices.Clone(parts), "seeds", "run", "restoring.json") {
		if err := state.RemoveAll(filepath.Join(p.Root(), name)); err != nil {
			return err
		}
	}
	return nil
}
