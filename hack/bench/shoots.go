package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/gardener-up/gardener-up/e2e/framework/cli"
	"github.com/gardener-up/gardener-up/examples"
	"github.com/gardener-up/gardener-up/hack/bench/procs"
)

// The shoot of examples.Shoot.
const (
	shootName      = "local"
	shootNamespace = "garden-local"
)

// shoots repeatedly creates the example shoot in a new landscape, and measures each shoot at rest before deleting it.
func (b *bench) shoots(ctx context.Context) error {
	return b.withLandscape(func(l *cli.Landscape) error {
		if err := gardener(ctx, l, "up"); err != nil {
			return err
		}
		before := l.Processes()
		manifest := filepath.Join(l.Dir, "shoot.yaml")
		if err := l.Write(manifest, string(examples.Shoot)); err != nil {
			return err
		}
		for n := range b.runs {
			b.say("shoot %d of %d", n+1, b.runs)
			took, err := timed(func() error { return createShoot(ctx, l, manifest) })
			if err != nil {
				return err
			}
			b.found.shoot = append(b.found.shoot, took)
			if err := b.restShoot(ctx, l, before); err != nil {
				return err
			}
			if err := gardener(ctx, l, "shoot", "delete", shootName, "-n", shootNamespace, "--yes", "--timeout=5m"); err != nil {
				return err
			}
		}
		return nil
	})
}

// createShoot creates the shoot and waits until it is ready, with the commands that a user would type.
func createShoot(ctx context.Context, l *cli.Landscape, manifest string) error {
	if err := gardener(ctx, l, "kubectl", "apply", "-f", manifest); err != nil {
		return err
	}
	return gardener(ctx, l, "shoot", "wait", shootName, "-n", shootNamespace, "--timeout=5m")
}

// restShoot measures the landscape with one shoot. It distinguishes processes that existed before the shoot from those
// of the shoot.
func (b *bench) restShoot(ctx context.Context, l *cli.Landscape, before map[int]string) error {
	if err := b.rest(ctx, &b.found.withShoot, func() []int { return processes(l) }); err != nil {
		return err
	}
	var own []int
	for pid := range l.Processes() {
		if _, old := before[pid]; !old {
			own = append(own, pid)
		}
	}
	shoot, err := procs.MemoryOf(own)
	if err != nil {
		return fmt.Errorf("processes of the shoot: %w", err)
	}
	rest, err := procs.MemoryOf(slices.Collect(maps.Keys(before)))
	if err != nil {
		return fmt.Errorf("processes of the landscape: %w", err)
	}
	b.found.shootPSS = append(b.found.shootPSS, float64(shoot.PSS))
	b.found.daemonPSS = append(b.found.daemonPSS, float64(rest.PSS))
	return nil
}
