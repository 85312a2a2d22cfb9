package kind

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/gardener-up/gardener-up/appliance/engine"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/local/cluster"
	"github.com/gardener-up/gardener-up/local/containers"
	"github.com/gardener-up/gardener-up/local/host"
)

// watchPeriod is the pause between two checks of the seed's container.
const watchPeriod = 5 * time.Second

// keeper makes the kind cluster of a landscape and keeps it running.
type keeper struct {
	hosting *Hosting
	made    *cluster.Cluster
	doors   handlerDoors
	running atomic.Bool
}

// ready is nil while the cluster runs.
func (k *keeper) ready(context.Context) error {
	if !k.running.Load() {
		return errors.New("the kind cluster is not ready yet")
	}
	return nil
}

// run makes the cluster and then keeps it running until ctx ends, when it is stopped. Only the first attempt may fail.
func (k *keeper) run(ctx context.Context) error {
	if err := k.ensure(ctx); err != nil {
		return errors.Join(err, k.stop(context.WithoutCancel(ctx)))
	}
	k.running.Store(true)
	defer k.running.Store(false)
	ticker := time.NewTicker(watchPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return k.stop(context.WithoutCancel(ctx))
		case <-ticker.C:
		}
		if err := k.made.Running(ctx); err == nil || ctx.Err() != nil {
			if err := errors.Join(k.doors.locate(ctx, k.hosting.cluster), k.hosting.locate(ctx)); err != nil && ctx.Err() == nil {
				k.hosting.in.Log.Error(err, "Gateways of the seed cannot be found")
			}
			continue
		} else {
			k.hosting.in.Log.Info("Kind cluster has gone and is brought back", "reason", err.Error())
		}
		if err := k.ensure(ctx); err != nil && ctx.Err() == nil {
			k.hosting.in.Log.Error(err, "Kind cluster cannot be brought back, will try again")
		}
	}
}

// ensure records what it makes before it makes it, so that purge finds it.
func (k *keeper) ensure(ctx context.Context) error {
	if err := k.note(ctx); err != nil {
		return err
	}
	if _, err := k.made.Ensure(ctx); err != nil {
		return err
	}
	if err := k.doors.locate(ctx, k.hosting.cluster); err != nil {
		return err
	}
	return k.hosting.Prepare(ctx)
}

func (k *keeper) note(ctx context.Context) error {
	s := k.hosting.in.Store
	_, err := k.hosting.engine.Networks.Inspect(ctx, cluster.Network)
	if errors.Is(err, containers.ErrNotFound) { // others' networks are not ours to remove
		err = s.Inventory().Add(store.Item{Kind: store.ItemNetwork, ID: cluster.Network, Created: time.Now().UTC()})
	}
	if err != nil {
		return err
	}
	return s.Inventory().Add(store.Item{Kind: store.ItemCluster, ID: engine.ClusterName(k.hosting.in.Landscape), Created: time.Now().UTC()})
}

// stop stops all containers of the landscape at the same time, because each runs a whole system, which stops slowly.
func (k *keeper) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, StopTimeout)
	defer cancel()
	machines := make(chan error, 1)
	go func() { machines <- host.StopMachines(ctx, k.hosting.engine, k.hosting.in.Landscape) }()
	return errors.Join(k.made.Stop(ctx), <-machines)
}
