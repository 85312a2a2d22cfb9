package managers

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/controlplanes"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/controllers/druid/protection"
	"github.com/gardener-up/gardener-up/controllers/druid/share"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/authority"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

var (
	errNoClients  = errors.New("clients are not made yet")
	errNoManagers = errors.New("managers are not made yet")
)

// roles are the managers of one seed. All of them read through the same caches.
type roles struct {
	SeedInputs
	seed   Seed
	part   func(name string) string // the name of a part of this seed
	shared atomic.Pointer[clusters] // while the caches run

	runtimeCluster bool // of the garden; no other seed contains a Garden of this process
	authorityTurn  sync.Mutex
	protection     *protection.Member // the druid joins the policy for the objects of Etcds, and the gardenlet leaves it when the Seed goes
	mark           *share.Mark        // the same of the mark that tells the druid of an operator about this one
}

// prepare sets what the managers of a seed are given. runtimeCluster tells whether the seed is that of the garden.
func (r *roles) prepare(in SeedInputs, seed Seed, runtimeCluster bool, part func(name string) string) {
	r.SeedInputs, r.seed, r.part, r.runtimeCluster = in, seed, part, runtimeCluster
	identity := in.Gardenlets.Identity.ID + "/" + seed.Name()
	r.protection, r.mark = &protection.Member{Identity: identity, Share: r.druids()}, &share.Mark{Identity: identity}
}

// leave takes what the druid has written into a cluster that is a seed no more.
func (r *roles) leave(ctx context.Context, seed client.Client) error {
	return errors.Join(r.protection.Leave(ctx, seed), r.mark.Leave(ctx, seed))
}

// runCaches runs the cache of the seed, and the caches that the function garden makes, until ctx ends.
func (r *roles) runCaches(ctx context.Context, garden cluster.Cluster, others ...cluster.Cluster) error {
	config, err := r.seed.Config()
	if err != nil {
		return err
	}
	seed, err := newCluster(r.Log, r.part("seed"), config, install.AddSeed)
	if err != nil {
		return err
	}
	r.shared.Store(&clusters{garden, seed, ctx})
	defer r.shared.Store(nil)
	return runAll(ctx, append([]cluster.Cluster{seed}, others...)...)
}

func (r *roles) cachesReady(ctx context.Context) error {
	shared := r.shared.Load()
	if shared == nil {
		return errNoClients
	}
	return synced(ctx, shared.garden, shared.seed)
}

// role is a component that runs the managers that the function build returns. It is ready when their caches, their
// readiness checks and all that is given say so.
func (r *roles) role(name string, build func(context.Context, clusters) ([]manager.Manager, error), more ...func(context.Context) error) component.Component {
	var running atomic.Pointer[[]manager.Manager]
	return loop.New(name, func(ctx context.Context) error {
		shared := r.shared.Load()
		if shared == nil {
			return errNoCaches
		}
		ctx, end := shared.bound(ctx)
		defer end()
		built, err := build(ctx, *shared)
		if err != nil {
			return err
		}
		running.Store(&built)
		defer running.Store(nil)
		err = runAll(ctx, built...)
		if errors.Is(context.Cause(ctx), errNoCaches) {
			return errNoCaches
		}
		return err
	}, func(ctx context.Context) error {
		built := running.Load()
		if built == nil {
			return errNoManagers
		}
		if err := synced(ctx, *built...); err != nil {
			return err
		}
		if err := ready(ctx, *built); err != nil {
			return err
		}
		for _, one := range more {
			if err := one(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// controlPlanes is the part that tells whether the control planes of the seed's shoots serve.
func (r *roles) controlPlanes(after string) component.Part {
	return component.Part{After: []string{after}, Restart: true, Component: controlplanes.New(r.part(controlplanes.PartName), func() (controlplanes.Readers, error) {
		shared := r.shared.Load()
		if shared == nil {
			return controlplanes.Readers{}, errNoCaches
		}
		return controlplanes.Readers{Workloads: shared.seed.GetClient(), Pods: shared.seed.GetAPIReader()}, nil
	})}
}

// manager makes a manager of a shared cluster without options.
func (r *roles) manager(name string, shared cluster.Cluster) (manager.Manager, error) {
	return newManager(name, shared, options{Log: r.Log.WithName(name)})
}

// authority is that of the runtime cluster, which signs for all webhooks there.
func (r *roles) authority(mgr manager.Manager) authority.Authority {
	return authority.Authority{Runtime: mgr.GetClient(), Reader: mgr.GetAPIReader(), Clock: clock.RealClock{}, Turn: &r.authorityTurn}
}

// druids is the share of the etcds that the druid of this process serves.
func (r *roles) druids() share.Share {
	if r.runtimeCluster {
		return share.All
	}
	return share.Landscape // a Garden on the seed has an operator, which runs a druid, too
}
