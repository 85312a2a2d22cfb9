package appliance

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/controllers/seedhost"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
)

// seedsStopTimeout is how long the controllers of further seeds may take to end, and machines of their shoots to stop.
const seedsStopTimeout = 30*time.Second + kindStopTimeout

// seeds are the seeds beside the first one: for each Seed that names a kubeconfig it runs what the first seed has. It knows
// the routes to their shoots, too.
type seeds struct {
	a     *appliance
	zone  *dns.Zone
	ended chan event.GenericEvent // Seeds whose parts have ended by themselves

	garden atomic.Pointer[clusters] // while the part runs

	mu     sync.RWMutex
	served map[string]*servedSeed
	left   map[string]hosting // of Seeds that are served no longer, until they are gone
}

func newSeeds(a *appliance, zone *dns.Zone) *seeds {
	return &seeds{a: a, zone: zone, ended: make(chan event.GenericEvent, 64), served: map[string]*servedSeed{}, left: map[string]hosting{}}
}

// part serves seeds as long as it runs. Its managers read through the caches of the first seed's.
func (s *seeds) part(m *managers) component.Component {
	var manager atomic.Pointer[cluster.Cluster]
	return component.NewLoop("seeds", func(ctx context.Context) error {
		shared := m.shared.Load()
		if shared == nil {
			return errors.New("the caches do not run")
		}
		mgr, err := s.a.newManager("seeds", shared.garden, managerOptions{})
		if err != nil {
			return err
		}
		reconciler := &seedhost.Reconciler{
			Client: mgr.GetClient(), Reader: mgr.GetAPIReader(), Host: s, Clock: clock.RealClock{},
			ID: s.a.identity.ID, Own: s.a.Config.Seed.Name, Ended: s.ended,
		}
		if err := reconciler.AddToManager(mgr); err != nil {
			return err
		}
		s.garden.Store(shared)
		defer s.endAll()
		running := cluster.Cluster(mgr)
		manager.Store(&running)
		defer manager.Store(nil)
		return mgr.Start(ctx)
	}, func(ctx context.Context) error {
		running := manager.Load()
		if running == nil {
			return errors.New("the manager is not made yet")
		}
		return synced(ctx, *running)
	})
}

// Serve implements seedhost.Host.
func (s *seeds) Serve(ctx context.Context, seed *gardencorev1beta1.Seed, kubeconfig []byte, access *rest.Config) error {
	sum := sha256.Sum256(kubeconfig)
	s.mu.RLock()
	served := s.served[seed.Name]
	s.mu.RUnlock()
	if served != nil && served.uid == seed.UID && served.sum == sum && served.running() {
		return nil
	}
	var last error
	if served != nil && !served.running() {
		last = served.err
	}
	if err := errors.Join(s.End(ctx, seed.Name), last); err != nil {
		return err // tried again after a while
	}
	found, err := s.hostingOf(ctx, seed.Name, access)
	if err != nil {
		return err
	}
	served, err = s.start(kubeconfigSeed{a: s.a, hosting: found, object: seed.DeepCopy(), access: access})
	if err != nil {
		return err
	}
	served.uid, served.sum = seed.UID, sum
	s.mu.Lock()
	s.served[seed.Name] = served
	s.mu.Unlock()
	s.a.Log.Info("Seed is served", "seed", seed.Name)
	return nil
}

// End implements seedhost.Host.
func (s *seeds) End(ctx context.Context, seed string) error {
	s.mu.Lock()
	served := s.served[seed]
	delete(s.served, seed)
	if served != nil {
		s.left[seed] = served.hosting
	}
	s.mu.Unlock()
	if served == nil {
		return nil
	}
	served.stop()
	select {
	case <-served.ended:
		s.a.Log.Info("Seed is no longer served", "seed", seed)
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop serving seed %q: %w", seed, ctx.Err())
	}
}

// Gone implements seedhost.Host.
func (s *seeds) Gone(ctx context.Context, seed string) error {
	s.mu.Lock()
	left := s.left[seed]
	delete(s.left, seed)
	s.mu.Unlock()
	if left != nil {
		if err := left.leave(ctx); err != nil { // the cluster may be gone as well
			s.a.Log.Info("Not everything of a seed is removed from its nodes", "seed", seed, "reason", err.Error())
		}
	}
	volumes := s.a.Paths.Seed(seed).Volumes()
	makeRemovable(volumes)
	if err := os.RemoveAll(volumes); err != nil {
		return fmt.Errorf("remove volumes of seed %q: %w", seed, err)
	}
	_ = os.Remove(s.a.Paths.Seed(seed).Root()) // fails for a seed that the landscape brings up, which has more there
	return nil
}

func (s *seeds) endAll() {
	s.mu.Lock()
	all := s.served
	s.served = map[string]*servedSeed{}
	s.mu.Unlock()
	for _, served := range all {
		served.stop()
	}
	var machines sync.WaitGroup
	for name, served := range all {
		<-served.ended
		machines.Go(func() {
			if err := served.hosting.stop(context.Background()); err != nil {
				s.a.Log.Error(err, "Machines of shoots cannot be stopped", "seed", name)
			}
		})
	}
	machines.Wait()
}

// Run implements frontdoor.RouteSource.
func (s *seeds) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// Route implements frontdoor.RouteSource: names of shoots lead to the front doors of their seeds.
func (s *seeds) Route(serverName string) (frontdoor.Destination, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, served := range s.served {
		if _, known := served.routes.Route(serverName); known {
			return served.destination()
		}
	}
	return frontdoor.Destination{}, false
}

// started tells whether all parts of a Seed have been ready.
func (s *seeds) started(name string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	served := s.served[name]
	if served == nil {
		return false
	}
	select {
	case <-served.supervisor.AllReady():
		return true
	default:
		return false
	}
}

// supervisors are those of all seeds that are served, by the name of the seed.
func (s *seeds) supervisors() []*component.Supervisor {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var all []*component.Supervisor
	for _, name := range slices.Sorted(maps.Keys(s.served)) {
		all = append(all, s.served[name].supervisor)
	}
	return all
}
