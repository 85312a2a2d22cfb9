package transfer

import (
	"context"
	"errors"
	"time"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
)

// ErrNoFinal means that the source has no final snapshot. The seed that should have taken it may be gone.
var ErrNoFinal = errors.New("the source has no final snapshot yet")

// Final reports by its error whether the newest full snapshot of the source is final: whether no changes follow it.
func Final(ctx context.Context, from *store.Store) error {
	all, err := from.List(ctx)
	if err != nil {
		return err
	}
	if chains := snapshot.Chains(all); len(chains) == 0 || !chains[0].Full.Final {
		return ErrNoFinal
	}
	return nil
}

// AwaitFinal asks every pause until the newest full snapshot is final. It returns ErrNoFinal after the timeout, unless that is 0.
func AwaitFinal(ctx context.Context, from *store.Store, pause, timeout time.Duration) error {
	var deadline <-chan time.Time
	if timeout > 0 {
		deadline = time.After(timeout)
	}
	for {
		err := Final(ctx, from)
		if !errors.Is(err, ErrNoFinal) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline:
			return err
		case <-time.After(pause):
		}
	}
}
