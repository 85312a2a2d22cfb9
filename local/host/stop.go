package host

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/gardener-up/gardener-up/local/containers"
)

// StopMachines stops the machines of a landscape when the landscape stops. The agent starts them again when it
// starts. With an empty seed it stops the machines of all seeds.
func StopMachines(ctx context.Context, engine *containers.Engine, landscape, seed string) error {
	found, err := engine.List(ctx, Config{Landscape: landscape, Seed: seed}.labels())
	if err != nil {
		return fmt.Errorf("list machines of landscape %s: %w", landscape, err)
	}
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
