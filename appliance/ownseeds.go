package appliance

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/store"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	// ownSeedsStopTimeout is how long the clusters of further seeds, which stop all at once, may take.
	ownSeedsStopTimeout = time.Minute
	// ownSeedRetry is the pause before a seed whose parts have failed is tried again.
	ownSeedRetry = 10 * time.Second
	// ownSeedsPatience is how long the start of the landscape waits for further seeds. They must not keep it from starting.
	ownSeedsPatience = 90 * time.Second
)

// ownSeeds are the further seeds that the landscape brings up itself: each is a cluster in a process of its own that gets
// a Seed with a kubeconfig. Serving them is the business of seeds, as for those that an operator describes.
type ownSeeds struct {
	a *appliance

	mu      sync.Mutex
	ctx     context.Context // of the part, while it runs
	started time.Time
	running map[string]*ownSeed
	ended   sync.WaitGroup
}

func newOwnSeeds(a *appliance) *ownSeeds { return &ownSeeds{a: a, running: map[string]*ownSeed{}} }

// titleFurther is empty, for no line, where nobody waits for further seeds.
func (a *appliance) titleFurther() string {
	if all, err := a.store.Seeds(); err == nil && len(all)+len(a.Config.Seeds) > 0 {
		return "further seeds"
	}
	return ""
}

func (o *ownSeeds) part() component.Component {
	return component.NewLoop("further-seeds", o.run, o.ready)
}

// run brings up what the store knows and the configuration lists, until ctx ends.
func (o *ownSeeds) run(ctx context.Context) error {
	if err := o.adopt(o.a.Config.Seeds); err != nil {
		return err
	}
	all, err := o.a.store.Seeds()
	if err != nil {
		return err
	}
	o.mu.Lock()
	o.ctx, o.started = ctx, time.Now()
	for _, seed := range all {
		o.launch(seed)
	}
	o.mu.Unlock()
	<-ctx.Done()
	o.mu.Lock()
	o.ctx = nil
	o.mu.Unlock()
	o.ended.Wait()
	return nil
}

// adopt notes the seeds of the configuration that are new.
func (o *ownSeeds) adopt(listed []config.FurtherSeed) error {
	for _, seed := range listed {
		if _, known, err := o.a.store.Seed(seed.Name); known || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		if _, err := o.note(seed); err != nil {
			return fmt.Errorf("further seed %q: %w", seed.Name, err)
		}
	}
	return nil
}

// note chooses what was left open and keeps it.
func (o *ownSeeds) note(wanted config.FurtherSeed) (store.Seed, error) {
	seed := store.Seed{Name: wanted.Name, PodCIDR: wanted.PodCIDR, ServiceCIDR: wanted.ServiceCIDR, Created: time.Now().UTC()}
	all, err := o.a.store.Seeds()
	if err != nil {
		return seed, err
	}
	cidrs := []string{}
	if !o.a.Config.Seed.Kind() {
		cidrs = append(cidrs, o.a.Config.Seed.PodCIDR, o.a.Config.Seed.ServiceCIDR)
	}
	for _, other := range all {
		cidrs = append(cidrs, other.PodCIDR, other.ServiceCIDR)
	}
	taken, err := parseRanges(cidrs...)
	if err != nil {
		return seed, err
	}
	if seed.PodCIDR == "" {
		first := []string{config.DefaultPodCIDR, config.DefaultServiceCIDR}
		if !o.a.Config.Seed.Kind() {
			first = cidrs[:2]
		}
		ranges, err := parseRanges(first...)
		if err != nil {
			return seed, err
		}
		pods, services, err := chooseRanges(ranges[0], ranges[1], taken, unusedRanges)
		if err != nil {
			return seed, err
		}
		seed.PodCIDR, seed.ServiceCIDR = pods.String(), services.String()
	}
	mine, err := parseRanges(seed.PodCIDR, seed.ServiceCIDR)
	if err != nil {
		return seed, err
	}
	for _, prefix := range mine {
		if overlapsAny(prefix, taken) {
			return seed, fmt.Errorf("range %s overlaps one of another seed", prefix)
		}
	}
	return seed, o.a.store.SetSeed(seed)
}

// unusedRanges looks at the addresses that a running cluster has: its node's and its API server's.
func unusedRanges(pods, services netip.Prefix) bool {
	for _, address := range []string{
		net.JoinHostPort(pods.Addr().Next().String(), strconv.Itoa(kubeletPort)), net.JoinHostPort(services.Addr().Next().String(), "443"),
	} {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			_ = conn.Close()
			return false
		}
	}
	return true
}

// launch brings up a seed in the background. The lock is held.
func (o *ownSeeds) launch(seed store.Seed) {
	ctx, cancel := context.WithCancel(o.ctx)
	own := &ownSeed{a: o.a, name: seed.Name, finish: cancel, wake: make(chan struct{}, 1)}
	o.running[seed.Name] = own
	o.ended.Go(func() {
		defer cancel()
		own.live(ctx)
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.running, seed.Name)
	})
}

// ready is nil when all seeds are usable, or have had time enough.
func (o *ownSeeds) ready(ctx context.Context) error {
	o.mu.Lock()
	running, started, names := o.ctx != nil, o.started, []string{}
	for name := range o.running {
		names = append(names, name)
	}
	o.mu.Unlock()
	if !running {
		return errors.New("the further seeds are not read yet")
	}
	if len(names) == 0 || time.Since(started) > ownSeedsPatience {
		return nil
	}
	garden, err := o.a.garden()
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		seed := &gardencorev1beta1.Seed{}
		if err := garden.Get(ctx, types.NamespacedName{Name: name}, seed); err != nil {
			return fmt.Errorf("seed %q is not registered yet", name)
		}
		if seed.DeletionTimestamp != nil {
			continue
		}
		if !o.a.seeds.started(name) { // the conditions are of the time before
			return fmt.Errorf("seed %q is not served yet", name)
		}
		if err := SeedReady(seed); err != nil {
			return err
		}
	}
	return nil
}

// add brings up one more seed. It returns when that is under way.
func (o *ownSeeds) add(ctx context.Context, wanted daemon.NewSeed) error {
	further := config.FurtherSeed{Name: wanted.Name, PodCIDR: wanted.PodCIDR, ServiceCIDR: wanted.ServiceCIDR}
	if errs := config.ValidateFurther(o.a.Config, further); len(errs) > 0 {
		return errs.ToAggregate()
	}
	garden, err := o.a.garden()
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ctx == nil {
		return errors.New("the landscape is not ready for further seeds yet")
	}
	if _, known, err := o.a.store.Seed(wanted.Name); err != nil || known {
		return errors.Join(err, fmt.Errorf("there is a seed %q already", wanted.Name))
	}
	err = garden.Get(ctx, types.NamespacedName{Name: wanted.Name}, &gardencorev1beta1.Seed{})
	if err == nil {
		return fmt.Errorf("there is a seed %q already", wanted.Name)
	}
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("read seed %q: %w", wanted.Name, err)
	}
	seed, err := o.note(further)
	if err != nil {
		return err
	}
	o.launch(seed)
	return nil
}

// remove deletes the Seed of a further seed, after which the seed itself goes. The garden refuses that while shoots use it.
func (o *ownSeeds) remove(ctx context.Context, name string) error {
	if name == o.a.Config.Seed.Name {
		return fmt.Errorf("seed %q is the first one, which belongs to the landscape and cannot be removed alone: \"gardener down --purge\" removes all", name)
	}
	if slices.ContainsFunc(o.a.Config.Seeds, func(listed config.FurtherSeed) bool { return listed.Name == name }) {
		return fmt.Errorf("seed %q is listed in the configuration: remove it there and start the landscape again first", name)
	}
	garden, err := o.a.garden()
	if err != nil {
		return err
	}
	o.mu.Lock()
	own := o.running[name]
	o.mu.Unlock()
	if own == nil {
		return fmt.Errorf("%q: %w", name, daemon.ErrUnknownSeed)
	}
	return own.remove(ctx, garden)
}

// supervisors are those of all seeds that are brought up.
func (o *ownSeeds) supervisors() []*component.Supervisor {
	o.mu.Lock()
	defer o.mu.Unlock()
	names := []string{}
	for name := range o.running {
		names = append(names, name)
	}
	slices.Sort(names)
	var all []*component.Supervisor
	for _, name := range names {
		if supervisor := o.running[name].supervisor.Load(); supervisor != nil {
			all = append(all, supervisor)
		}
	}
	return all
}

// removeDirectory removes what a further seed kept, after ending what still runs there.
func removeDirectory(dir string) error {
	if err := killBelow(dir); err != nil {
		return err
	}
	makeRemovable(dir)
	return os.RemoveAll(dir)
}
