// Package own has the own seeds of a landscape: embedded seeds beside the first one that the landscape brings up itself. Each is
// a cluster in a process of its own that gets a Seed with a kubeconfig. Package seeds serves them like Seeds that an operator
// describes.
package own

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/appliance/seeds"
	"github.com/gardener-up/gardener-up/appliance/store"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	// stopTimeout is how long the clusters of own seeds, which stop all at once, may take.
	stopTimeout = time.Minute
	// patience is how long the start of the landscape waits for own seeds. They must not keep it from starting.
	patience = 90 * time.Second
)

// Seeds are the own seeds.
type Seeds struct {
	in Inputs

	mu      sync.Mutex
	ctx     context.Context // of the part, while it runs
	started time.Time
	running map[string]*ownSeed
	ended   sync.WaitGroup
}

// New returns seeds that are not brought up yet.
func New(in Inputs) *Seeds { return &Seeds{in: in, running: map[string]*ownSeed{}} }

// Part brings up what the store knows and the configuration lists. It starts after the parts given.
func (o *Seeds) Part(after ...string) component.Part {
	return component.Part{
		After: after, Title: o.title(), Component: loop.New("further-seeds", o.run, o.ready),
		ReadyTimeout: 2 * patience, StopTimeout: stopTimeout,
	}
}

// title is empty, for no line, where nobody waits for own seeds.
func (o *Seeds) title() string {
	if all, err := o.in.Store.Seeds(); err == nil && len(all)+len(o.in.Listed) > 0 {
		return "further seeds"
	}
	return ""
}

// run brings up what the store knows and the configuration lists, until ctx ends.
func (o *Seeds) run(ctx context.Context) error {
	if err := o.adopt(o.in.Listed); err != nil {
		return err
	}
	all, err := o.in.Store.Seeds()
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
func (o *Seeds) adopt(listed []config.FurtherSeed) error {
	for _, seed := range listed {
		if _, known, err := o.in.Store.Seed(seed.Name); known || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		if _, err := note(o.in, seed); err != nil {
			return fmt.Errorf("further seed %q: %w", seed.Name, err)
		}
	}
	return nil
}

// launch brings up a seed in the background. The lock is held.
func (o *Seeds) launch(noted store.Seed) {
	ctx, cancel := context.WithCancel(o.ctx)
	own := &ownSeed{
		in: o.in, name: noted.Name, record: &record{store: o.in.Store, name: noted.Name}, finish: cancel, wake: make(chan struct{}, 1),
	}
	o.running[noted.Name] = own
	o.ended.Go(func() {
		defer cancel()
		own.live(ctx)
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.running, noted.Name)
	})
}

// ready is nil when all seeds are usable, or have had time enough.
func (o *Seeds) ready(ctx context.Context) error {
	o.mu.Lock()
	running, started, names := o.ctx != nil, o.started, []string{}
	for name := range o.running {
		names = append(names, name)
	}
	o.mu.Unlock()
	if !running {
		return errors.New("the further seeds are not read yet")
	}
	if len(names) == 0 || time.Since(started) > patience {
		return nil
	}
	garden, err := o.in.Garden()
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		object := &gardencorev1beta1.Seed{}
		if err := garden.Get(ctx, types.NamespacedName{Name: name}, object); err != nil {
			return fmt.Errorf("seed %q is not registered yet", name)
		}
		if object.DeletionTimestamp != nil {
			continue
		}
		if !o.in.Served(name) { // the conditions are of the time before
			return fmt.Errorf("seed %q is not served yet", name)
		}
		if err := seeds.Ready(object); err != nil {
			return err
		}
	}
	return nil
}

// Add brings up one more seed. It returns when that is under way.
func (o *Seeds) Add(ctx context.Context, wanted daemon.NewSeed) error {
	further := config.FurtherSeed{Name: wanted.Name, PodCIDR: wanted.PodCIDR, ServiceCIDR: wanted.ServiceCIDR}
	if err := o.in.Validate(further); err != nil {
		return err
	}
	garden, err := o.in.Garden()
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ctx == nil {
		return errors.New("the landscape is not ready for further seeds yet")
	}
	if _, known, err := o.in.Store.Seed(wanted.Name); err != nil || known {
		return errors.Join(err, fmt.Errorf("there is a seed %q already", wanted.Name))
	}
	err = garden.Get(ctx, types.NamespacedName{Name: wanted.Name}, &gardencorev1beta1.Seed{})
	if err == nil {
		return fmt.Errorf("there is a seed %q already", wanted.Name)
	}
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("read seed %q: %w", wanted.Name, err)
	}
	seed, err := note(o.in, further)
	if err != nil {
		return err
	}
	o.launch(seed)
	return nil
}

// Remove deletes the Seed of a further seed, after which the seed itself goes. The garden refuses that while shoots use it.
func (o *Seeds) Remove(ctx context.Context, name string) error {
	if name == o.in.First {
		return fmt.Errorf("seed %q is the first one, which belongs to the landscape and cannot be removed alone: \"gardener down --purge\" removes all", name)
	}
	if slices.ContainsFunc(o.in.Listed, func(listed config.FurtherSeed) bool { return listed.Name == name }) {
		return fmt.Errorf("seed %q is listed in the configuration: remove it there and start the landscape again first", name)
	}
	garden, err := o.in.Garden()
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

// Supervisors are those of all seeds that are brought up.
func (o *Seeds) Supervisors() []*component.Supervisor {
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
