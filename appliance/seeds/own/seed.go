package own

import (
	"context"
	"sync/atomic"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/seeds/kind"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/store"
	gardenletconfig "github.com/gardener-up/gardener-up/controllers/gardenlet/config"
)

const (
	clusterReadyTimeout = 4 * time.Minute
	clusterStopTimeout  = 45 * time.Second
	// retryAfter is the pause before the parts of a seed that have failed start again.
	retryAfter = 10 * time.Second
)

// ClusterPart is the name of the part that is the cluster of an own seed.
func ClusterPart(seed string) string { return "cluster-" + seed }

// RegistrationPart is the name of the part that keeps an own seed in the garden.
func RegistrationPart(seed string) string { return "registration-" + seed }

// removeTimeout is how long it may take to remove the cluster of a seed.
const removeTimeout = 2 * time.Minute

// ownSeed is one own seed.
type ownSeed struct {
	in         Inputs
	noted      store.Seed // when it was launched
	name       string
	awaited    bool // by the start of the landscape
	record     *record
	finish     context.CancelFunc
	wake       chan struct{} // ends the pause of the registration
	supervisor atomic.Pointer[component.Supervisor]
}

// live keeps the seed up until ctx ends or the seed is removed. After a removal it clears what the seed has left.
func (s *ownSeed) live(ctx context.Context) {
	for {
		if noted, known, err := s.record.get(); err == nil && (!known || noted.Removed) {
			break
		}
		err := s.run(ctx)
		if ctx.Err() != nil {
			break
		}
		s.in.Log.Error(err, "Further seed has ended, will try again", "seed", s.name)
		select {
		case <-time.After(retryAfter):
		case <-ctx.Done():
		}
	}
	if err := s.clear(); err != nil {
		s.in.Log.Error(err, "Further seed cannot be removed from this machine; the next start tries again", "seed", s.name)
	}
}

func (s *ownSeed) run(ctx context.Context) error {
	parts, err := s.parts()
	if err != nil {
		return err
	}
	supervisor, err := component.NewSupervisor(parts, s.in.Observe)
	if err != nil {
		return err
	}
	s.supervisor.Store(supervisor)
	return supervisor.Run(ctx)
}

// clear removes what is left of a seed whose Seed is gone.
func (s *ownSeed) clear() error {
	noted, known, err := s.record.get()
	if err != nil || !known || !noted.Removed {
		return err
	}
	if noted.Kind() {
		cluster, err := s.kind()
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), removeTimeout)
		defer cancel()
		if err := cluster.Remove(ctx); err != nil {
			return err
		}
	}
	if err := state.EndAndRemove(s.paths().Root()); err != nil {
		return err
	}
	s.in.Log.Info("Further seed is removed", "seed", s.name)
	return s.in.Store.RemoveSeed(s.name)
}

func (s *ownSeed) paths() paths.Paths { return s.in.Paths.Seed(s.name) }

// kind is the cluster of a seed on kind.
func (s *ownSeed) kind() (*kind.Further, error) {
	return kind.NewFurther(kind.FurtherInputs{
		Landscape: s.in.Inherited.Landscape, Seed: s.noted, Zones: s.in.Gardenlets.KindZones, Paths: s.in.Paths, Store: s.in.Store, Ports: s.in.Ports, Engine: s.in.Engine, Log: s.in.Log,
	})
}

func (s *ownSeed) parts() ([]component.Part, error) {
	cluster := ClusterPart(s.name)
	registration := &registration{
		name: s.name, record: s.record, garden: s.in.Garden, wake: s.wake, finish: s.finish, log: s.in.Log,
	}
	registers := component.Part{After: []string{cluster}, Restart: true, ReadyTimeout: clusterReadyTimeout,
		Component: loop.New(RegistrationPart(s.name), registration.run, registration.ready)}
	if s.noted.Kind() {
		made, err := s.kind()
		if err != nil {
			return nil, err
		}
		registration.kubeconfig, registration.describe = made.Kubeconfig(), func(ctx context.Context, noted store.Seed) (*gardenletconfig.SeedConfig, error) {
			nodes, err := made.Nodes(ctx)
			if err != nil {
				return nil, err
			}
			return s.in.Gardenlets.DescribeKind(noted.Name, noted.PodCIDR, noted.ServiceCIDR, nodes)
		}
		says := &owners{seed: s.name, garden: s.in.Garden, log: s.in.Log}
		return []component.Part{made.Part(cluster), registers, {Restart: true, Component: loop.New(OwnersPart(s.name), says.run, nil)}}, nil
	}
	registration.kubeconfig, registration.describe = s.paths().Kubeconfig("landscape"), func(_ context.Context, noted store.Seed) (*gardenletconfig.SeedConfig, error) {
		return s.in.Gardenlets.Describe(noted.Name, noted.PodCIDR, noted.ServiceCIDR)
	}
	return []component.Part{
		{Restart: true, ReadyTimeout: clusterReadyTimeout, StopTimeout: clusterStopTimeout, Component: &process{
			name: cluster, child: func() (daemon.Child, error) { return child(s.in, s.record, s.paths()) },
			ready: s.ready, why: func() error { return why(s.paths()) },
		}},
		registers,
	}, nil
}

// ready asks the cluster, and notes whose cluster it is.
func (s *ownSeed) ready(ctx context.Context) (attention string, _ error) {
	attention, err := serves(ctx, s.paths())
	if err == nil {
		err = noteCluster(s.record, s.paths())
	}
	return attention, err
}

// remove deletes the Seed. The registration ends the cluster when the Seed is gone.
func (s *ownSeed) remove(ctx context.Context, garden client.Client) error {
	if err := s.record.removing(func() error { return deleteSeed(ctx, garden, s.name) }); err != nil {
		return err
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return nil
}
