package main

import (
	"context"
	"time"

	"github.com/gardener-up/gardener-up/hack/bench/procs"
	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

// usage is what processes need while nobody asks anything of them, one value of each run; empty samples were not measured.
type usage struct {
	rss, pss, cpu stats.Sample
}

// rest waits until processes have settled, watches them and adds what they needed: processor time over the window,
// memory at its end.
func (b *bench) rest(ctx context.Context, into *usage, list func() []int) error {
	if err := sleep(ctx, b.settle); err != nil {
		return err
	}
	cpu, err := procs.CPU(ctx, b.window, list)
	if err != nil {
		return err
	}
	memory, err := procs.MemoryOf(list())
	if err != nil {
		return err
	}
	into.cpu = append(into.cpu, cpu)
	into.rss = append(into.rss, float64(memory.RSS))
	into.pss = append(into.pss, float64(memory.PSS))
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
