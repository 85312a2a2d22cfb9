package kind

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/engine"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/local/cluster"
	"github.com/gardener-up/gardener-up/local/containers"
)

// FurtherInputs are what a Further needs to know of a landscape and of its seed.
type FurtherInputs struct {
	Landscape string // its name
	Seed      store.Seed
	Zones     []string    // of the Seed object; the one node is in the first
	Paths     paths.Paths // of the landscape
	Store     *store.Store
	Ports     state.Ports // of the landscape; the container of this seed publishes others
	Engine    func(context.Context) (*containers.Engine, error)
	Log       logr.Logger
}

// Further is the kind cluster of a further seed, which the landscape makes. The cluster is served by a Hosting, as all kind clusters with a
// kubeconfig are.
type Further struct {
	in     FurtherInputs
	ports  state.Ports
	keeper atomic.Pointer[keeper] // once the engine is found
}

// choosing is held while ports are chosen, so that no two seeds get the same.
var choosing sync.Mutex

// NewFurther chooses the ports that the container publishes. It makes nothing yet.
func NewFurther(in FurtherInputs) (*Further, error) {
	choosing.Lock()
	defer choosing.Unlock()
	f := &Further{in: in, ports: maps.Clone(in.Ports)}
	others, err := in.Store.Seeds()
	if err != nil {
		return nil, err
	}
	for _, other := range others { // whose containers may be stopped
		for _, listener := range Published() {
			if name := listenerOf(other.Name, listener); other.Name != in.Seed.Name {
				if f.ports[name], err = in.Store.Port(name); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, listener := range Published() {
		if err := f.ports.Publish(in.Store, f.listener(listener)); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// listener is the name by which the store remembers a port of this seed.
func (f *Further) listener(name string) string { return listenerOf(f.in.Seed.Name, name) }

func listenerOf(seed, name string) string { return name + "/" + seed }

// Part makes the cluster and keeps it running. It stops the container of the cluster when it ends.
func (f *Further) Part(name string) component.Part {
	return component.Part{Restart: true, ReadyTimeout: readyTimeout, StopTimeout: StopTimeout, Component: loop.New(name, f.run, f.ready)}
}

// Kubeconfig is the file by which the landscape and its operators reach the cluster, as that of a first seed on kind.
func (f *Further) Kubeconfig() string { return f.in.Paths.Seed(f.in.Seed.Name).Kubeconfig("seed") }

// ClusterName is what "kind get clusters" shows.
func (f *Further) ClusterName() string {
	return engine.FurtherClusterName(f.in.Landscape, f.in.Seed.Name)
}

func (f *Further) run(ctx context.Context) error {
	if err := f.in.Paths.Seed(f.in.Seed.Name).Create(); err != nil {
		return err
	}
	found, err := f.in.Engine(ctx)
	if err != nil {
		return err
	}
	seed := f.in.Seed
	made, err := cluster.New(found, cluster.Config{
		Name: f.ClusterName(), NodeImage: seed.NodeImage, Kubeconfig: f.Kubeconfig(),
		APIServerPort: f.ports[f.listener(apiServerPort)], FrontDoorPort: f.ports[f.listener(frontDoorPort)],
		Zones: f.in.Zones, Backups: f.in.Paths.Backups(seed.Name), PodCIDR: seed.PodCIDR, ServiceCIDR: seed.ServiceCIDR,
		Published: map[int32]int32{cluster.ProxyProtocolPort: f.ports[f.listener(gatewayPort)]},
	}, f.in.Log.WithName("kind"))
	if err != nil {
		return err
	}
	nothing := func(context.Context) error { return nil } // the seed is served when it is registered
	k := &keeper{name: f.ClusterName(), seed: seed.Name, store: f.in.Store, engine: found, log: f.in.Log, made: made, prepare: nothing, look: nothing, machines: nothing}
	f.keeper.Store(k)
	return k.run(ctx)
}

func (f *Further) ready(ctx context.Context) error {
	k := f.keeper.Load()
	if k == nil {
		return errors.New("the container engine is not found yet")
	}
	return k.ready(ctx)
}

// Nodes is the range of addresses of the cluster's nodes.
func (f *Further) Nodes(ctx context.Context) (string, error) {
	found, err := f.in.Engine(ctx)
	if err != nil {
		return "", err
	}
	return NodeRange(ctx, found)
}

// Remove removes the cluster with all its data. It may be repeated.
func (f *Further) Remove(ctx context.Context) error {
	found, err := f.in.Engine(ctx)
	if err != nil {
		return fmt.Errorf("remove kind cluster %s: %w", f.ClusterName(), err)
	}
	if err := cluster.Delete(found, f.ClusterName(), f.Kubeconfig()); err != nil {
		return err
	}
	errs := []error{f.in.Store.Inventory().Remove(store.ItemCluster, f.ClusterName())}
	for _, listener := range Published() {
		errs = append(errs, f.in.Store.SetPort(f.listener(listener), 0))
	}
	return errors.Join(errs...)
}
