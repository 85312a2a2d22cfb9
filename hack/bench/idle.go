package main

import (
	"context"
	"time"

	"github.com/gardener-up/gardener-up/hack/bench/procs"
	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

// usage is the usage of idle processes, one value per run. Empty samples were not measured.
type usage struct {
	rss, pss, cpu stats.Sample
}

// rest waits until processes have settled, observes them for the window and adds their usage: processor time over the
// window, memory at its end.
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
