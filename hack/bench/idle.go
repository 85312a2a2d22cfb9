package main

import (
	"context"
	"errors"
	"time"

	"github.com/gardener-up/gardener-up/hack/bench/peer"
	"github.com/gardener-up/gardener-up/hack/bench/procs"
	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

// usage is what processes need while nobody asks anything of them; empty samples were not measured.
type usage struct {
	rss, pss, cpu stats.Sample
}

// rest waits until processes have settled and measures them once.
func (b *bench) rest(ctx context.Context, list func() []int) (usage, error) {
	if err := sleep(ctx, b.settle); err != nil {
		return usage{}, err
	}
	memory, err := procs.MemoryOf(list())
	if err != nil {
		return usage{}, err
	}
	u := usage{rss: stats.Sample{float64(memory.RSS)}, pss: stats.Sample{float64(memory.PSS)}}
	cpu, err := procs.CPU(ctx, b.window, list)
	if err != nil {
		return u, err
	}
	u.cpu = stats.Sample{cpu}
	return u, nil
}

func (b *bench) restPeer(ctx context.Context) error {
	b.say("idle peer")
	return inDir(func(dir string) error {
		p, err := peer.New(b.binary, dir)
		if err != nil {
			return err
		}
		if _, err := p.Start(ctx); err != nil {
			return err
		}
		b.found.peerIdle, err = b.rest(ctx, p.PIDs)
		return errors.Join(err, p.Stop())
	})
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
