// Package compact merges the newest full snapshot of an etcd and the deltas after it into a full snapshot, so that a restoration has to apply fewer deltas. It
// needs no etcd: the deltas are applied to the database itself.
//
// It only adds one object to the store, whose name tells what it is, and deletes nothing. So it may be killed at any time, and run beside the etcd: what that
// stores meanwhile continues the merged snapshot as it continues the deltas in it.
package compact

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/compression"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/encryption"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/restore"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
)

// Config of a compaction.
type Config struct {
	Store *store.Store
	// Dir is the directory for the database. Its content is deleted before and after.
	Dir string
	// Suffix names the compression; see package compression.
	Suffix string
}

// ErrNothing means that there is nothing to merge: no delta follows the newest full snapshot, or it contains all of them, or it is that of a control plane that moves, or
// the etcd was faster.
var ErrNothing = errors.New("there are no snapshots to merge")

// Run merges the newest chain, and returns the snapshot that is made of it.
func Run(ctx context.Context, config Config) (snapshot.Snapshot, error) {
	all, err := config.Store.List(ctx)
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	chain, err := mergeable(all)
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	work := filepath.Join(config.Dir, "compaction")
	if err := os.RemoveAll(work); err != nil { // that of a process that was killed
		return snapshot.Snapshot{}, err
	}
	defer os.RemoveAll(work)
	if _, err := keysFor(config.Store, chain); err != nil {
		return snapshot.Snapshot{}, err // before hours of work
	}
	database, err := restore.Merge(ctx, config.Store, chain, work)
	switch {
	case errors.Is(err, restore.ErrContained):
		return snapshot.Snapshot{}, fmt.Errorf("%w: %w", ErrNothing, err)
	case err != nil:
		return snapshot.Snapshot{}, err
	}
	keys, err := keysFor(config.Store, chain) // those of now
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	made := snapshot.Snapshot{
		Kind: snapshot.Full, End: chain.End(), Generation: chain.Full.Generation, Suffix: config.Suffix, Encrypted: keys.Encrypt(), Compacted: true,
		// The data are as old as the last delta. Whoever merges the same snapshots again makes the same name.
		Created: chain.Latest().Created,
	}
	if all, err = config.Store.List(ctx); err != nil {
		return made, err
	}
	if overtaken(all, made) {
		return made, fmt.Errorf("%w: the etcd has taken a full snapshot meanwhile", ErrNothing)
	}
	made.Size, err = config.Store.Write(ctx, made, func(w io.Writer) error {
		sealed, err := keys.Writer(w)
		if err != nil {
			return err
		}
		if err := write(sealed, database, config.Suffix); err != nil {
			return err
		}
		return sealed.Close()
	})
	return made, err
}

// mergeable is the newest chain.
func mergeable(all []snapshot.Snapshot) (snapshot.Chain, error) {
	chains := snapshot.Chains(all)
	if len(chains) == 0 {
		return snapshot.Chain{}, fmt.Errorf("%w: there is no full snapshot", ErrNothing)
	}
	chain := chains[0]
	switch {
	case len(chain.Deltas) == 0:
		return chain, fmt.Errorf("%w: no delta follows %s", ErrNothing, chain.Full.Key())
	case chain.Full.Final || chain.Latest().Final:
		return chain, fmt.Errorf("%w: %s is final", ErrNothing, chain.Latest().Key())
	}
	return chain, nil
}

// keysFor are the keys that encrypt what is made of a chain. If any part of the chain is encrypted, the whole has to be, unless the Secret says that it is not to be.
func keysFor(to *store.Store, chain snapshot.Chain) (encryption.Keys, error) {
	keys, err := to.Keys()
	if err != nil {
		return keys, err
	}
	encrypted := chain.Full.Encrypted || slices.ContainsFunc(chain.Deltas, func(d snapshot.Snapshot) bool { return d.Encrypted })
	return keys, keys.Continue(encrypted)
}

// overtaken reports whether the store has a full snapshot that contains all that was merged, or one of a newer generation.
func overtaken(all []snapshot.Snapshot, made snapshot.Snapshot) bool {
	for _, s := range all {
		if s.Kind == snapshot.Full && (s.Generation > made.Generation || s.Generation == made.Generation && s.End >= made.End) {
			return true
		}
	}
	return false
}

// write writes the database as etcd sends it: with the SHA-256 of all before at its end.
func write(w io.Writer, database, suffix string) error {
	file, err := os.Open(filepath.Clean(database))
	if err != nil {
		return err
	}
	defer file.Close()
	packed, err := compression.Writer(w, suffix)
	if err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(packed, sum), file); err != nil {
		return fmt.Errorf("copy database: %w", err)
	}
	if _, err := packed.Write(sum.Sum(nil)); err != nil {
		return err
	}
	return packed.Close()
}
