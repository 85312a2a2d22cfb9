package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/local/cluster"
	"github.com/gardener-up/gardener-up/local/containers"
	"github.com/gardener-up/gardener-up/local/host"
)

// purgeTimeout is how long it may take to remove the containers of a landscape.
const purgeTimeout = 5 * time.Minute

// Purge removes the containers of a landscape from its engine: the nodes of shoots, the seed and, if nobody else uses it,
// the network. items are those of the inventory. Nodes are also found by their label, so that none is left.
func Purge(landscape string, p paths.Paths, made store.Engine, items []store.Item) error {
	if len(items) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), purgeTimeout)
	defer cancel()
	engine, err := Find(ctx, landscape, made)
	if err != nil {
		return fmt.Errorf("the landscape has containers, which cannot be removed: %w", err)
	}
	names, err := machineContainers(ctx, engine, landscape, items)
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range names {
		errs = append(errs, engine.Remove(ctx, name))
	}
	for _, item := range items {
		if item.Kind == store.ItemCluster {
			errs = append(errs, cluster.Delete(engine, item.ID, p.Kubeconfig("seed")))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("remove containers of the landscape: %w", err)
	}
	for _, item := range items {
		if item.Kind == store.ItemNetwork {
			_ = engine.Networks.Remove(ctx, item.ID) // fails while other containers use the network
		}
	}
	return nil
}

func machineContainers(ctx context.Context, engine *containers.Engine, landscape string, items []store.Item) ([]string, error) {
	labelled, err := engine.List(ctx, map[string]string{host.LabelLandscape: landscape})
	if err != nil {
		return nil, fmt.Errorf("remove containers of the landscape: %w", err)
	}
	var names []string
	for _, container := range labelled {
		names = append(names, container.Name)
	}
	for _, item := range items {
		if item.Kind == store.ItemContainer {
			names = append(names, item.ID)
		}
	}
	return names, nil
}
