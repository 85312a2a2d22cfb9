package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/snapshots"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshotter"
)

const (
	// etcdTimeout bounds the copy of one etcd: the largest has a quota of 8 GiB, which a slow disk reads in less.
	etcdTimeout = 10 * time.Minute
	// answerTimeout is how long an etcd may take to answer at all. One that does not is starting, or hangs.
	answerTimeout = 10 * time.Second
	// packed is the compression of databases. The archive compresses them again, which costs little.
	packed = ".gz"
)

// taken is what a backup has taken so far.
type taken struct {
	work     string // directory for the databases of etcds
	running  bool   // the process of the landscape runs
	warnings []string
	held     locks
	access   Access
}

func (t *taken) release() error { return t.held.release() }

// etcds takes the etcds of all seeds, and that of the garden last. It returns what there is to add, the stores and the keys included, which
// are kept later.
func (t *taken) etcds(ctx context.Context, root paths.Paths) ([]directory, error) {
	seeds, err := seedsOf(root)
	if err != nil {
		return nil, err
	}
	var dirs []directory
	for _, name := range seeds {
		dir, err := t.cluster(ctx, root, root.Seed(name))
		if err != nil {
			return nil, fmt.Errorf("seed %s: %w", name, err)
		}
		dirs = append(dirs, dir)
	}
	main, err := t.cluster(ctx, root, root)
	if err != nil {
		return nil, err
	}
	main.covered = seeds
	return append([]directory{main}, dirs...), nil
}

// seedsOf are the further seeds that have a state directory.
func seedsOf(root paths.Paths) ([]string, error) {
	s, err := store.Read(root.Store())
	if err != nil {
		return nil, err
	}
	defer s.Close()
	all, err := s.Seeds()
	var names []string
	for _, seed := range all {
		if _, err := os.Stat(root.Seed(seed.Name).Store()); err == nil {
			names = append(names, seed.Name)
		}
	}
	return names, err
}

// cluster takes the etcds of a state directory: as they are on the disk if no process runs, and as clients otherwise.
func (t *taken) cluster(ctx context.Context, root, p paths.Paths) (directory, error) {
	prefix, err := filepath.Rel(root.Root(), p.Root())
	if err != nil {
		return directory{}, err
	}
	dir := directory{paths: p, prefix: filepath.ToSlash(prefix), warn: func(text string) { t.warnings = append(t.warnings, text) }}
	running := t.running
	if p != root {
		held, runs, err := hold(p)
		if err != nil {
			return dir, err
		}
		t.held, running = append(t.held, held...), runs
	}
	s, err := store.Read(p.Store())
	if err != nil {
		return dir, err
	}
	defer s.Close()
	noted, _, err := s.Ledger()
	if err != nil {
		return dir, err
	}
	dir.etcds = slices.Sorted(maps.Keys(noted.Etcds))
	slices.Reverse(dir.etcds) // that of the seed before that of the garden
	if !running {
		return dir, nil
	}
	dir.databases = filepath.Join(t.work, strings.ReplaceAll(dir.prefix, "/", "-"))
	for _, name := range dir.etcds {
		port, err := s.Port(name)
		if err != nil {
			return dir, err
		}
		if err := take(ctx, t.access(p, name, port), filepath.Join(dir.databases, name)); err != nil {
			return dir, fmt.Errorf("%s: %w", name, err)
		}
	}
	return dir, nil
}

// take stores the database of an etcd in a directory, as a full snapshot.
func take(ctx context.Context, from snapshots.Access, dir string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, etcdTimeout)
	defer cancel()
	client, err := from.Client()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	asking, stop := context.WithTimeout(ctx, answerTimeout)
	defer stop()
	at, err := client.Get(asking, "\x00", clientv3.WithLimit(1), clientv3.WithKeysOnly())
	if err != nil {
		return fmt.Errorf("ask for the revision: %w", err)
	}
	made := snapshot.Snapshot{Kind: snapshot.Full, End: at.Header.Revision, Created: time.Now().UTC(), Suffix: packed}
	file := filepath.Join(dir, filepath.FromSlash(made.Key()))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return atomicfile.WriteBy(file, 0o600, func(w io.Writer) error { return snapshotter.Database(ctx, client, w, packed) })
}
