package main

import (
	"context"
	"time"

	"github.com/gardener-up/gardener-up/hack/bench/procs"
	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

// settle is how long memory of requests may take to be given back. It is longer than the time after which components of the
// binary give back what starting took.
const settle = 20 * time.Second

// createAlone creates the first half of a kind's objects, and notes how much more memory the server holds for them.
func (b *bench) createAlone(ctx context.Context, k *kind) error {
	before, err := k.settled(ctx)
	if err != nil {
		return err
	}
	if err := b.alone(ctx, k, create); err != nil {
		return err
	}
	after, err := k.settled(ctx)
	objects, _ := b.halves()
	k.memory = stats.Sample{(after - before) / float64(objects.end-objects.first)}
	return err
}

// settled is the memory of the server after a pause.
func (k *kind) settled(ctx context.Context) (float64, error) {
	select {
	case <-time.After(settle):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	memory, err := procs.MemoryOf([]int{k.server})
	return float64(memory.PSS), err
}
