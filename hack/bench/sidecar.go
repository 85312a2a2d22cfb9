package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/gardener-up/gardener-up/hack/bench/peer"
	"github.com/gardener-up/gardener-up/hack/bench/procs"
	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

// sidecar measures an etcd with backups and one without in turns. They never run at the same time, since they would share pages.
func (b *bench) sidecar(ctx context.Context) error {
	for n := range b.runs {
		b.say("memory of backups %d of %d", n+1, b.runs)
		for _, one := range []struct {
			backups peer.Backups
			into    *stats.Sample
		}{{peer.Without, &b.found.etcdPSS}, {peer.With, &b.found.backupPSS}} {
			if err := inDir(func(dir string) error { return b.restEtcd(ctx, dir, one.backups, one.into) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// restEtcd measures an etcd at rest.
func (b *bench) restEtcd(ctx context.Context, dir string, backups peer.Backups, into *stats.Sample) (err error) {
	p, err := peer.Etcd(ctx, b.binary, dir, backups)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	if err := sleep(ctx, b.settle+b.window); err != nil {
		return err
	}
	memory, err := procs.MemoryOf(p.PIDs())
	if err != nil {
		return fmt.Errorf("memory of an etcd: %w", err)
	}
	made, err := p.Snapshots()
	if err == nil && (len(made) > 0) != bool(backups) {
		err = fmt.Errorf("with backups %v: there are %d snapshots", backups, len(made))
	}
	if err == nil {
		*into = append(*into, float64(memory.PSS))
	}
	return err
}
