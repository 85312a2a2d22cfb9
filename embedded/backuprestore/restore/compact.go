package restore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/pkg/v3/traceutil"
	"go.etcd.io/etcd/server/v3/storage/mvcc"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
)

// ErrContained means that a full snapshot, which may contain later revisions than its name says, contains all its deltas.
var ErrContained = errors.New("the full snapshot contains all deltas after it")

// Merge makes the database of a chain below a directory, which must not exist: the full snapshot with all deltas, without the history of keys and without free
// pages. It is exactly that of the last delta. A chain that is damaged, or that has nothing to merge, is an error: whoever takes a full snapshot then, does not
// take the damage with it.
func Merge(ctx context.Context, from *store.Store, chain snapshot.Chain, dir string) (database string, err error) {
	made, err := build(ctx, from, chain, dir)
	switch {
	case err != nil:
		return "", err
	case made.refused != "":
		return "", fmt.Errorf("snapshot %s is damaged: %w", made.refused, made.reason)
	case made.revision > chain.End():
		return "", fmt.Errorf("%w: %s ends at revision %d, they end at %d", ErrContained, chain.Full.Key(), made.revision, chain.End())
	case made.revision != chain.End():
		return "", fmt.Errorf("the data end at revision %d, the snapshots at %d", made.revision, chain.End())
	}
	if err := os.Remove(filepath.Join(dir, "delta")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if err := shrink(ctx, made.database); err != nil {
		return "", err
	}
	return made.database, verify(made.database, chain.End())
}

func shrink(ctx context.Context, database string) error {
	db, err := openDatabase(database)
	if err != nil {
		return err
	}
	defer db.close()
	return db.shrink(ctx)
}

// verify reads the database as a restoration will: older snapshots are deleted because of it.
func verify(database string, revision int64) error {
	db, err := openDatabase(database)
	if err != nil {
		return err
	}
	defer db.close()
	if is := db.revision(); is != revision {
		return fmt.Errorf("the merged data end at revision %d instead of %d", is, revision)
	}
	return nil
}

// shrink removes the history of keys, and then the free pages.
func (d *database) shrink(ctx context.Context) error {
	done, err := d.store.Compact(traceutil.TODO(), d.revision())
	if errors.Is(err, mvcc.ErrCompacted) {
		err = nil // nothing happened since
	} else if err == nil {
		select {
		case <-done:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err != nil {
		return fmt.Errorf("compact database: %w", err)
	}
	if err := d.backend.Defrag(); err != nil {
		return fmt.Errorf("defragment database: %w", err)
	}
	d.backend.ForceCommit()
	return nil
}
