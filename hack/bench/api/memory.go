package main

import (
	"context"
	"time"

	"github.com/gardener-up/gardener-up/hack/bench/procs"
	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

// createAlone creates the first half of the objects of a kind, and records the growth of the server's memory.
func (b *bench) createAlone(ctx context.Context, k *kind) error {
	before, err := k.settled(ctx, b.settle)
	if err != nil {
		return err
	}
	if err := b.alone(ctx, k, create); err != nil {
		return err
	}
	after, err := k.settled(ctx, b.settle)
	objects, _ := b.halves()
	k.memory = stats.Sample{(after - before) / float64(objects.end-objects.first)}
	return err
}

// settled returns the memory of the server after a pause.
func (k *kind) settled(ctx context.Context, pause time.Duration) (float64, error) {
	select {
	case <-time.After(pause):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	memory, err := procs.MemoryOf([]int{k.server})
	return float64(memory.PSS), err
}
