package host

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/gardener-up/gardener-up/local/containers"
)

// StopMachines stops the machines of all seeds of a landscape when the landscape stops. The agents start them again when they start.
func StopMachines(ctx context.Context, engine *containers.Engine, landscape string) error {
	found, err := engine.List(ctx, labels(landscape))
	if err != nil {
		return fmt.Errorf("list machines of landscape %s: %w", landscape, err)
	}
	return stopAll(ctx, engine, found)
}

// StopMachinesOf stops the machines of one seed, and those that no seed has.
func StopMachinesOf(ctx context.Context, engine *containers.Engine, landscape, seed string, inventory Inventory) error {
	found, err := engine.List(ctx, labels(landscape))
	if err != nil {
		return fmt.Errorf("list machines of landscape %s: %w", landscape, err)
	}
	config := Config{Seed: seed, Inventory: inventory}
	own, err := config.mine(found)
	if err != nil {
		return err
	}
	config.Seed = ""
	released, err := config.mine(found)
	if err != nil {
		return err
	}
	return stopAll(ctx, engine, append(own, released...))
}

func stopAll(ctx context.Context, engine *containers.Engine, found []containers.Container) error {
	var all errgroup.Group
	all.SetLimit(concurrent)
	for _, c := range found {
		if !c.Running {
			continue
		}
		all.Go(func() error {
			if err := engine.Stop(ctx, c.Name); err != nil && !errors.Is(err, containers.ErrNotFound) {
				return err
			}
			return nil
		})
	}
	return all.Wait()
}
