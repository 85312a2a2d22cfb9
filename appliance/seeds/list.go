// Package seeds serves the remote seeds of a landscape: for each Seed that names a kubeconfig it runs the same parts as
// for the first seed. The packages below hold what differs between embedded seeds, kind seeds and nodes on other machines. Package
// own brings up the further embedded seeds of the landscape.
package seeds

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

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/appliance/managers"
	"github.com/gardener-up/gardener-up/appliance/seeds/kind"
	"github.com/gardener-up/gardener-up/appliance/seeds/names"
	"github.com/gardener-up/gardener-up/appliance/seeds/remote"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/controllers/seedhost"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
	"github.com/gardener-up/gardener-up/local/containers"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// stopTimeout is how long the controllers of remote seeds and the machines of their shoots may take to stop.
const stopTimeout = 30*time.Second + kind.StopTimeout

// List is the list of remote seeds. It also knows the routes to their shoots.
type List struct {
	in    Inputs
	ended chan event.GenericEvent // Seeds whose parts have ended by themselves

	first  *managers.First // set by Part, as is finder
	finder finder
	garden atomic.Pointer[cluster.Cluster] // while the part runs

	mu     sync.RWMutex
	served map[string]*servedSeed
	left   map[string]remote.Hosting // of Seeds that are no longer served but still exist
}

// New returns a list that serves no seed yet.
func New(in Inputs) *List {
	return &List{in: in, ended: make(chan event.GenericEvent, 64), served: map[string]*servedSeed{}, left: map[string]remote.Hosting{}}
}

// Part serves seeds as long as it runs. Its managers read through the caches of the first seed's managers. engine finds the
// container engine of the landscape.
func (l *List) Part(first *managers.First, engine func(context.Context) (*containers.Engine, error)) component.Part {
	l.first, l.finder = first, finder{in: l.in, engine: engine}
	var running atomic.Pointer[manager.Manager]
	watch := loop.New("seeds", func(ctx context.Context) error {
		garden, err := first.Garden()
		if err != nil {
			return err
		}
		mgr, err := first.Manager("seeds", garden)
		if err != nil {
			return err
		}
		reconciler := &seedhost.Reconciler{
			Client: mgr.GetClient(), Reader: mgr.GetAPIReader(), Host: l, Clock: clock.RealClock{},
			ID: l.in.ID, Own: l.in.First, Ended: l.ended,
		}
		many := workers.Options{Count: 5, FirstRetry: time.Second, LastRetry: time.Minute} // a cluster that does not answer must not delay the others
		if err := reconciler.AddToManager(mgr, many); err != nil {
			return err
		}
		l.garden.Store(&garden)
		defer l.endAll()
		running.Store(&mgr)
		defer running.Store(nil)
		return mgr.Start(ctx)
	}, func(ctx context.Context) error {
		mgr := running.Load()
		if mgr == nil {
			return errors.New("the manager is not made yet")
		}
		return managers.Synced(ctx, *mgr)
	})
	return component.Part{After: []string{managers.Caches}, Restart: true, StopTimeout: stopTimeout, Component: watch}
}

// Serve implements seedhost.Host.
func (l *List) Serve(ctx context.Context, seed *gardencorev1beta1.Seed, kubeconfig []byte, access *rest.Config) error {
	sum := sha256.Sum256(kubeconfig)
	l.mu.RLock()
	served := l.served[seed.Name]
	l.mu.RUnlock()
	if served != nil && served.uid == seed.UID && served.sum == sum && served.running() {
		return nil
	}
	var last error
	if served != nil && !served.running() {
		last = served.err
	}
	if err := errors.Join(l.End(ctx, seed.Name), last); err != nil {
		return err // the reconciler retries
	}
	served, err := l.start(ctx, seed.DeepCopy(), access)
	if err != nil {
		return err
	}
	served.uid, served.sum = seed.UID, sum
	l.mu.Lock()
	l.served[seed.Name] = served
	l.mu.Unlock()
	l.in.Log.Info("Seed is served", "seed", seed.Name)
	return nil
}

// start finds out how the seed is hosted and runs its parts.
func (l *List) start(ctx context.Context, object *gardencorev1beta1.Seed, access *rest.Config) (*servedSeed, error) {
	hosting, err := l.finder.find(ctx, object.Name, access)
	if err != nil {
		return nil, err
	}
	seed := remote.Seed{Hosting: hosting, Object: object, Access: access, Gardenlets: l.in.Gardenlets}
	roles := l.first.Remote(*l.garden.Load(), seed)
	return serve(seed, func(routes *frontdoor.VirtualServices) []component.Part { return partsOf(seed, routes, roles) }, l.in, func() {
		l.ended <- event.GenericEvent{Object: &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: object.Name}}}
	})
}

// End implements seedhost.Host.
func (l *List) End(ctx context.Context, seed string) error {
	l.mu.Lock()
	served := l.served[seed]
	delete(l.served, seed)
	if served != nil {
		l.left[seed] = served.seed
	}
	l.mu.Unlock()
	if served == nil {
		return nil
	}
	served.stop()
	select {
	case <-served.ended:
		l.in.Log.Info("Seed is no longer served", "seed", seed)
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop serving seed %q: %w", seed, ctx.Err())
	}
}

// Gone implements seedhost.Host.
func (l *List) Gone(ctx context.Context, seed string) error {
	l.mu.Lock()
	left := l.left[seed]
	delete(l.left, seed)
	l.mu.Unlock()
	if left != nil {
		if err := left.Leave(ctx); err != nil { // the cluster may be gone as well
			l.in.Log.Info("Seed left objects on its nodes", "seed", seed, "reason", err.Error())
		}
	}
	volumes := l.in.Paths.Seed(seed).Volumes()
	if err := state.RemoveAll(volumes); err != nil {
		return fmt.Errorf("remove volumes of seed %q: %w", seed, err)
	}
	_ = os.Remove(l.in.Paths.Seed(seed).Root()) // fails for a seed that the landscape brings up, which has more there
	return nil
}

func (l *List) endAll() {
	l.mu.Lock()
	all := l.served
	l.served = map[string]*servedSeed{}
	l.mu.Unlock()
	for _, served := range all {
		served.stop()
	}
	var machines sync.WaitGroup
	for name, served := range all {
		<-served.ended
		machines.Go(func() {
			if err := served.hosting.Stop(context.Background()); err != nil {
				l.in.Log.Error(err, "Machines of shoots cannot be stopped", "seed", name)
			}
		})
	}
	machines.Wait()
}

// Run implements frontdoor.RouteSource.
func (l *List) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// Route implements frontdoor.RouteSource: names of shoots lead to the front doors of their seeds.
func (l *List) Route(serverName string) (frontdoor.Destination, bool) {
	garden := l.garden.Load()
	if garden == nil {
		return frontdoor.Destination{}, false
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	served := l.served[names.Garden{Reader: (*garden).GetClient()}.Seed(serverName, l.routes)]
	if served == nil {
		return frontdoor.Destination{}, false
	}
	return served.destination()
}

// routes are those of each seed. The caller holds the lock.
func (l *List) routes(yield func(string, frontdoor.RouteSource) bool) {
	for name, served := range l.served {
		if !yield(name, served.routes) {
			return
		}
	}
}

// AllReady reports whether all parts of a seed have been ready since this process serves it.
func (l *List) AllReady(name string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	served := l.served[name]
	return served != nil && served.allReady()
}

// Served are the seeds that are served, sorted by name.
func (l *List) Served() []managers.Seed {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var all []managers.Seed
	for _, name := range slices.Sorted(maps.Keys(l.served)) {
		all = append(all, l.served[name].seed)
	}
	return all
}

// Supervisors are the supervisors of all served seeds, sorted by the name of the seed.
func (l *List) Supervisors() []*component.Supervisor {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var all []*component.Supervisor
	for _, name := range slices.Sorted(maps.Keys(l.served)) {
		all = append(all, l.served[name].supervisor)
	}
	return all
}
