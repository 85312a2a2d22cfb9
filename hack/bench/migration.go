package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gardener-up/gardener-up/e2e/framework/cli"
	"github.com/gardener-up/gardener-up/examples"
)

// migrationSeeds are the embedded seeds between which the example shoot moves: the first one of the landscape, and the one that is added.
var migrationSeeds = []string{"local", "two"}

// migration moves the control plane of the example shoot, which has one node, between two embedded seeds, there and back.
func (b *bench) migration(ctx context.Context) error {
	return b.withLandscape(func(l *cli.Landscape) error {
		config, err := os.ReadFile(l.Config)
		if err != nil {
			return err
		}
		if err := l.Write(l.Config, string(config)+"seeds: [{name: "+migrationSeeds[1]+"}]\n"); err != nil {
			return err
		}
		if err := gardener(ctx, l, "up"); err != nil {
			return err
		}
		manifest := filepath.Join(l.Dir, "shoot.yaml")
		if err := l.Write(manifest, string(examples.Shoot)); err != nil {
			return err
		}
		if err := createShoot(ctx, l, manifest); err != nil {
			return err
		}
		for n := range b.runs {
			b.say("migration %d of %d", n+1, b.runs)
			took, err := b.migrate(ctx, l)
			if err != nil {
				return err
			}
			b.found.migration = append(b.found.migration, took)
		}
		return nil
	})
}

// migrate moves the shoot to the other seed, and waits until the landscape is at rest before that. The command ends when the last operation of the shoot has
// succeeded there.
func (b *bench) migrate(ctx context.Context, l *cli.Landscape) (seconds float64, err error) {
	if err := sleep(ctx, b.settle); err != nil {
		return 0, err
	}
	from, err := seedOf(ctx, l)
	if err != nil {
		return 0, err
	}
	to := migrationSeeds[0]
	if from == to {
		to = migrationSeeds[1]
	}
	seconds, err = timed(func() error {
		return gardener(ctx, l, "shoot", "migrate", shootName, "-n", shootNamespace, "--to", to, "--timeout=5m")
	})
	if err != nil {
		return 0, err
	}
	at, err := seedOf(ctx, l)
	if err == nil && at != to {
		err = fmt.Errorf("the shoot is on seed %q instead of %q", at, to)
	}
	return seconds, err
}

// seedOf is the seed that runs the control plane of the shoot.
func seedOf(ctx context.Context, l *cli.Landscape) (string, error) {
	r, err := l.Exec(ctx, "kubectl", "-n", shootNamespace, "get", "shoot", shootName, "-o", "jsonpath={.status.seedName}")
	if err != nil {
		return "", err
	}
	return r.Stdout, r.Check("read the seed of the shoot")
}
