package main

import (
	"context"
	"errors"

	"github.com/gardener-up/gardener-up/e2e/framework/cli"
	"github.com/gardener-up/gardener-up/hack/bench/peer"
)

// starts measures cold starts, the usage at rest after them, and restarts. Peer and landscape take turns, so that both
// are measured under the same load. They never run at the same time, since they would share pages and caches.
func (b *bench) starts(ctx context.Context) error {
	for n := range b.runs {
		b.say("start and rest %d of %d", n+1, b.runs)
		if err := inDir(func(dir string) error { return b.startPeer(ctx, dir) }); err != nil {
			return err
		}
		if err := b.withLandscape(func(l *cli.Landscape) error { return b.startLandscape(ctx, l) }); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) startPeer(ctx context.Context, dir string) error {
	p, err := peer.New(b.binary, dir)
	if err != nil {
		return err
	}
	cold, err := p.Start(ctx)
	if err != nil {
		return err
	}
	b.found.peerCold = append(b.found.peerCold, cold.Seconds())
	err = b.rest(ctx, &b.found.peerIdle, p.PIDs)
	if err := errors.Join(err, p.Stop()); err != nil {
		return err
	}
	restart, err := p.Start(ctx)
	if err != nil {
		return err
	}
	b.found.peerRestart = append(b.found.peerRestart, restart.Seconds())
	return p.Stop()
}

func (b *bench) startLandscape(ctx context.Context, l *cli.Landscape) error {
	cold, err := timed(func() error { return gardener(ctx, l, "up") })
	if err != nil {
		return err
	}
	b.found.cold = append(b.found.cold, cold)
	if err := b.rest(ctx, &b.found.idle, func() []int { return processes(l) }); err != nil {
		return err
	}
	if err := gardener(ctx, l, "down"); err != nil {
		return err
	}
	restart, err := timed(func() error { return gardener(ctx, l, "up") })
	if err != nil {
		return err
	}
	b.found.restart = append(b.found.restart, restart)
	return nil
}
