// Package own brings up the own seeds of a landscape: those beside the first one. Each is a cluster in a separate process, or a kind
// cluster, and gets a Seed with a kubeconfig. Package seeds serves them like Seeds that an operator creates.
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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/appliance/seeds"
	"github.com/gardener-up/gardener-up/appliance/store"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	// stopTimeout is how long the clusters of own seeds may take to stop. They stop at the same time.
	stopTimeout = time.Minute
	// patience is how long the start of the landscape waits for own seeds. A broken own seed must not prevent the start.
	patience = 90 * time.Second
)

// Seeds are the own seeds of a landscape.
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

// Part brings up the seeds in the store and in the configuration. It starts after the parts given.
func (o *Seeds) Part(after ...string) component.Part {
	return component.Part{
		After: after, Title: o.title(), Component: loop.New("further-seeds", o.run, o.ready),
		ReadyTimeout: 2 * patience, StopTimeout: stopTimeout,
	}
}

// title is empty if the landscape waits for no own seed: then "gardener up" prints no line.
func (o *Seeds) title() string {
	if all, err := o.in.Store.Seeds(); err == nil && len(all)+len(o.in.Listed) > 0 {
		return "further seeds"
	}
	return ""
}

// run brings up the seeds in the store and in the configuration, and returns when ctx ends.
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
		o.launch(seed, true)
	}
	o.mu.Unlock()
	<-ctx.Done()
	o.mu.Lock()
	o.ctx = nil
	o.mu.Unlock()
	o.ended.Wait()
	return nil
}

// adopt writes the new seeds of the configuration to the store.
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

// launch brings up a seed in the background. awaited is whether the start of the landscape waits for it. The caller holds the
// lock.
func (o *Seeds) launch(noted store.Seed, awaited bool) {
	ctx, cancel := context.WithCancel(o.ctx)
	own := &ownSeed{
		in: o.in, noted: noted, name: noted.Name, awaited: awaited, record: &record{store: o.in.Store, name: noted.Name}, finish: cancel, wake: make(chan struct{}, 1),
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

// ready returns nil when all seeds that the start waits for are usable, or patience is over. Seeds that are added later have
// parts that tell how they are.
func (o *Seeds) ready(ctx context.Context) error {
	o.mu.Lock()
	running, started, names := o.ctx != nil, o.started, []string{}
	for name, own := range o.running {
		if own.awaited {
			names = append(names, name)
		}
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
		if !o.in.Served(name) { // the conditions may be those of the previous run
			return fmt.Errorf("seed %q is not served yet", name)
		}
		if err := seeds.Usable(ctx, garden, object); err != nil {
			return err
		}
	}
	return nil
}

// Add brings up one more seed. It returns when the start has begun.
func (o *Seeds) Add(ctx context.Context, wanted daemon.NewSeed) error {
	further := described(wanted)
	garden, err := o.possible(further)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.new(ctx, garden, wanted.Name); err != nil {
		return err
	}
	seed, err := note(o.in, further)
	if err != nil {
		return err
	}
	o.launch(seed, false)
	return nil
}

func described(wanted daemon.NewSeed) config.FurtherSeed {
	return config.FurtherSeed{Name: wanted.Name, Provider: wanted.Provider, NodeImage: wanted.NodeImage, PodCIDR: wanted.PodCIDR, ServiceCIDR: wanted.ServiceCIDR}
}

// possible checks what is wanted against the configuration of the landscape, and returns the garden.
func (o *Seeds) possible(wanted config.FurtherSeed) (client.Client, error) {
	if wanted.Name == o.in.First {
		return nil, fmt.Errorf("seed %q exists already: it is the first seed of the landscape", wanted.Name)
	}
	if err := o.in.Validate(wanted); err != nil {
		return nil, err
	}
	return o.in.Garden()
}

// new returns an error if a seed of this name exists. mu is held.
func (o *Seeds) new(ctx context.Context, garden client.Client, name string) error {
	if o.ctx == nil {
		return errors.New("the landscape is not ready for further seeds yet")
	}
	if _, known, err := o.in.Store.Seed(name); err != nil || known {
		return errors.Join(err, fmt.Errorf("seed %q exists already", name))
	}
	err := garden.Get(ctx, types.NamespacedName{Name: name}, &gardencorev1beta1.Seed{})
	if err == nil {
		return fmt.Errorf("seed %q exists already", name)
	}
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("read seed %q: %w", name, err)
	}
	return nil
}

// Remove deletes the Seed of an own seed. The cluster is removed after that. The garden refuses the deletion while shoots use
// the seed.
func (o *Seeds) Remove(ctx context.Context, name string) error {
	if name == o.in.First {
		return fmt.Errorf("seed %q is the first seed of the landscape and cannot be removed alone: \"gardener down --purge\" removes the whole landscape", name)
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

// Supervisors are the supervisors of all seeds that are up or being brought up.
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
