// Package transfer copies the snapshots of an etcd from one store to another, for control planes that move to another seed.
//
// It only reads the source. It knows no Kubernetes objects. Whoever copies in its own process and the component copy-backups both
// use it.
package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
)

// Limits bound what is copied. Zero values do not bound.
type Limits struct {
	// Age is the age of the oldest full snapshot that is copied. The newest one is always copied.
	Age time.Duration
	// Full is the number of full snapshots that are copied, the newest first.
	Full int
}

// Result counts what was done.
type Result struct {
	// Copied and Present are the snapshots that were copied, and those that the target had already.
	Copied, Present int
	Bytes           int64
}

// ErrNothing means that no etcd can be restored from the source. It would begin empty, or with what the target has from an earlier time.
var ErrNothing = errors.New("the source has no full snapshot, without which a new etcd would begin empty or with old data: put its backups back")

// Copy copies snapshots from one store to another, the oldest first: a target that is incomplete misses the newest ones. It may
// be repeated and skips what the target has. It returns once the copies are durable.
//
// Snapshots in the target are not final, also if they are in the source: they continue in the target, whose retention may delete
// them. They come after what the target has, if the source has gone on since (see shift). A source without a full snapshot is ErrNothing.
func Copy(ctx context.Context, from, to *store.Store, limits Limits) (Result, error) {
	all, err := from.List(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("source: %w", err)
	}
	selected := Select(all, limits, time.Now())
	if len(selected) == 0 {
		return Result{}, ErrNothing
	}
	present, err := to.List(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("target: %w", err)
	}
	generations, sizes := shift(all, present), map[string]int64{}
	for _, s := range present {
		sizes[s.Key()] = s.Size
	}
	var result Result
	for _, s := range selected {
		copied := target(s, generations)
		if size, found := sizes[copied.Key()]; found && size == s.Size {
			result.Present++
			continue
		}
		n, err := one(ctx, from, to, s, copied)
		if err != nil {
			return result, fmt.Errorf("copy %s: %w", s.Key(), err)
		}
		result.Copied++
		result.Bytes += n
	}
	return result, nil
}

// Select returns the snapshots to copy, the oldest first: all from the oldest full snapshot within the limits on. Deltas before it
// continue nothing.
func Select(all []snapshot.Snapshot, limits Limits, now time.Time) []snapshot.Snapshot {
	chains := snapshot.Chains(all)
	if len(chains) == 0 {
		return nil
	}
	first := chains[0].Full
	for i, chain := range chains {
		if limits.Full > 0 && i >= limits.Full || limits.Age > 0 && now.Sub(chain.Full.Created) > limits.Age {
			break
		}
		first = chain.Full
	}
	sorted := append([]snapshot.Snapshot(nil), all...)
	snapshot.Sort(sorted)
	for i, s := range sorted {
		if s == first {
			return sorted[i:]
		}
	}
	return nil
}

// target is the snapshot as the target names it, some generations later.
func target(s snapshot.Snapshot, generations int64) snapshot.Snapshot {
	s.Final = false
	s.Generation += generations
	return s
}

// one copies a snapshot. A source that ends early leaves nothing in the target.
func one(ctx context.Context, from, to *store.Store, s, copied snapshot.Snapshot) (int64, error) {
	r, err := from.Open(ctx, s)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	return to.Write(ctx, copied, func(w io.Writer) error {
		n, err := io.Copy(w, r)
		if err == nil && n != s.Size {
			err = fmt.Errorf("read %d of %d bytes", n, s.Size)
		}
		return err
	})
}
