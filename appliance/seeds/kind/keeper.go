package kind

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/ledger"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/local/cluster"
	"github.com/gardener-up/gardener-up/local/containers"
)

// watchPeriod is the pause between two checks of the seed's container.
const watchPeriod = 5 * time.Second

// keeper makes a kind cluster of a landscape and keeps it running.
type keeper struct {
	name   string // of the cluster
	seed   string
	store  *store.Store
	engine *containers.Engine
	log    logr.Logger
	made   *cluster.Cluster
	// prepare acts on a cluster that has just been made or started, look on one that runs. Both may be repeated.
	prepare, look func(context.Context) error
	// machines stops what has to stop together with the cluster.
	machines func(context.Context) error

	running atomic.Bool
	trouble atomic.Pointer[error] // why a cluster that ran cannot be brought back
}

// ready is nil while the cluster runs.
func (k *keeper) ready(context.Context) error {
	if trouble := k.trouble.Load(); trouble != nil {
		return *trouble
	}
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
	k.trouble.Store(nil)
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
		switch err := k.made.Running(ctx); {
		case ctx.Err() != nil:
		case err != nil || k.trouble.Load() != nil:
			k.bringBack(ctx, err)
		default:
			if err := k.look(ctx); err != nil && ctx.Err() == nil {
				k.log.Error(err, "Gateways of the seed cannot be found")
			}
		}
	}
}

// bringBack makes a cluster that ran serve again. why is nil if its containers run already. It logs an error only if it differs from the one
// before.
func (k *keeper) bringBack(ctx context.Context, why error) {
	if why != nil && k.trouble.Load() == nil {
		k.log.Info("Kind cluster has gone and is brought back", "reason", why.Error())
	}
	err := k.ensure(ctx)
	switch {
	case ctx.Err() != nil:
	case err == nil:
		k.trouble.Store(nil)
	default:
		if former := k.trouble.Swap(&err); former == nil || (*former).Error() != err.Error() {
			k.log.Error(err, "Kind cluster cannot be brought back, will try again")
		}
	}
}

// ensure records what it makes before it makes it, so that purge finds it.
func (k *keeper) ensure(ctx context.Context) error {
	if err := k.note(ctx); err != nil {
		return err
	}
	inventory := k.store.Inventory()
	known, err := inventory.Made(k.name)
	if err != nil {
		return err
	}
	container, err := k.made.Ensure(ctx, known)
	if errors.Is(err, cluster.ErrLost) {
		loss := ledger.LostContainer(k.seed, err)
		return fmt.Errorf("%w (%s)", loss, loss.Cure)
	}
	if err != nil {
		return err
	}
	if err := inventory.NoteMade(k.name, container); err != nil {
		return err
	}
	return k.prepare(ctx)
}

func (k *keeper) note(ctx context.Context) error {
	_, err := k.engine.Networks.Inspect(ctx, cluster.Network)
	if errors.Is(err, containers.ErrNotFound) { // others' networks are not ours to remove
		err = k.store.Inventory().Add(store.Item{Kind: store.ItemNetwork, ID: cluster.Network, Created: time.Now().UTC()})
	}
	if err != nil {
		return err
	}
	return k.store.Inventory().Add(store.Item{Kind: store.ItemCluster, ID: k.name, Created: time.Now().UTC()})
}

// stop stops all containers at the same time, because each runs a whole system, which stops slowly.
func (k *keeper) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, StopTimeout)
	defer cancel()
	machines := make(chan error, 1)
	go func() { machines <- k.machines(ctx) }()
	return errors.Join(k.made.Stop(ctx), <-machines)
}
