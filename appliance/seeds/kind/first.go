// Package kind describes seeds whose nodes are containers that kind has made: the first seed, which the landscape makes, and
// clusters that a user has made on this machine.
package kind

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/engine"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/appliance/seeds/callbacks"
	"github.com/gardener-up/gardener-up/appliance/seeds/entry"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	gardenletconfig "github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
	"github.com/gardener-up/gardener-up/local/cluster"
	"github.com/gardener-up/gardener-up/local/containers"
	"github.com/gardener-up/gardener-up/local/host"
)

// readyTimeout is how long it may take to make the cluster, with the download of its image and on a slow machine.
const readyTimeout = 10 * time.Minute

// First is a first seed on a kind cluster that the landscape makes.
type First struct {
	*Hosting
	in       FirstInputs
	gateways gateways
	doors    handlerDoors
	keeper   *keeper
}

// NewFirst finds the container engine and returns a seed. It does not make the cluster yet.
func NewFirst(ctx context.Context, in FirstInputs) (*First, error) {
	found, err := engine.FindNoted(ctx, in.Landscape, in.Store)
	if err != nil {
		return nil, err
	}
	in.Log.Info("Container engine is found", "engine", found.Endpoint().String(), "version", found.Version())
	if err := engine.Note(in.Store, found); err != nil {
		return nil, err
	}
	doors, err := newHandlerDoors(in)
	if err != nil {
		return nil, err
	}
	seed := in.Seed
	others, gateways, err := furtherNodes(in)
	if err != nil {
		return nil, err
	}
	c, err := cluster.New(found, cluster.Config{
		Name: engine.ClusterName(in.Landscape), NodeImage: seed.NodeImage, Kubeconfig: in.Paths.Kubeconfig("seed"),
		APIServerPort: in.Ports[apiServerPort], FrontDoorPort: in.Ports[frontDoorPort],
		Backups: in.Paths.Backups(seed.Name), PodCIDR: seed.PodCIDR, ServiceCIDR: seed.ServiceCIDR,
		Published: doors.published(map[int32]int32{cluster.ProxyProtocolPort: in.Ports[gatewayPort]}),
		Others:    others, Zones: seed.Zones,
	}, in.Log.WithName("kind"))
	if err != nil {
		return nil, err
	}
	hosting := &Hosting{
		in: Inputs{
			Landscape: in.Landscape, Image: in.Image, Paths: in.Paths, Store: in.Store, Zone: in.Zone, NodeImages: seed.NodeImages,
			NameServer: in.Ports.Local(servers.DNS), Doors: in.Doors.Behind(seed.Name), Log: in.Log,
			Calls: callbacks.New(seed.Name, in.Door.Address(), in.Zone.Zone, in.Log), Own: true,
		},
		seed: seed.Name, engine: found, cluster: c.Existing, nodeImage: seed.NodeImage, entry: entry.Always(in.Ports.Local(frontDoorPort)),
	}
	first := &First{Hosting: hosting, in: in, gateways: gateways, doors: doors}
	first.keeper = &keeper{
		name: c.Name(), seed: seed.Name, store: in.Store, engine: found, log: in.Log, made: c, prepare: first.prepare, look: first.look,
		machines: func(ctx context.Context) error { return host.StopMachines(ctx, found, in.Landscape) },
	}
	return first, nil
}

// prepare locates the gateways of a cluster that has started, and makes its nodes run components of a seed.
func (f *First) prepare(ctx context.Context) error {
	if err := f.doors.locate(ctx, f.cluster); err != nil {
		return err
	}
	return f.Prepare(ctx)
}

// look locates the gateways of a cluster that runs.
func (f *First) look(ctx context.Context) error {
	return errors.Join(f.doors.locate(ctx, f.cluster), f.locate(ctx))
}

// Parts are the cluster, a name server, and the front doors through which users reach the cluster.
func (f *First) Parts() ([]component.Part, error) {
	parts := []component.Part{
		{Component: servers.NameServer(f.in.Ports, f.in.Domains, nil, f.in.Zone.Zone, f.in.Log)}, // resolves the names of API servers for all clients
		{Title: "kind cluster", ReadyTimeout: readyTimeout, StopTimeout: StopTimeout,
			Component: loop.New(servers.SeedAPIServer, f.keeper.run, f.keeper.ready)},
		{Component: frontdoor.New(frontdoor.Config{ // the front door in the seed knows the shoots
			Name: servers.FrontDoor, Addresses: []string{f.in.Door.Address()},
			Routes:  f.in.Door.GardenRoutes(),
			Sources: f.in.Door.Sources(f.in.Others, f.gateways), Alternatives: f.gateways,
			Log: f.in.Log.WithName(servers.FrontDoor),
		})},
	}
	return append(parts, f.doors.parts()...), nil
}

// Before returns no parts: controllers need only the API server.
func (f *First) Before() []string { return nil }

// Beside returns no parts: the seed needs no part of this process to be ready.
func (f *First) Beside() []string { return nil }

// Ranges returns no ranges: pods and Services have no loopback addresses.
func (f *First) Ranges() []string { return nil }

// EngineName is the name of the container engine and of the variables that select it.
func (f *First) EngineName() string { return f.engine.Endpoint().String() }

// Engine finds the container engine for machines of other kind seeds, and notes it.
func (f *First) Engine(ctx context.Context) (*containers.Engine, error) {
	found, err := engine.FindNoted(ctx, f.in.Landscape, f.in.Store)
	if err != nil {
		return nil, err
	}
	return found, engine.Note(f.in.Store, found)
}

// Name implements managers.Seed.
func (f *First) Name() string { return f.in.Seed.Name }

// Config implements managers.Seed; it reads the kubeconfig that kind has written.
func (f *First) Config() (*rest.Config, error) {
	admin, err := clientcmd.BuildConfigFromFlags("", f.in.Paths.Kubeconfig("seed"))
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig of the kind cluster: %w", err)
	}
	return admin, nil
}

// Gardenlet implements managers.Seed.
func (f *First) Gardenlet() (*gardenletconfig.GardenletConfiguration, error) {
	nodes, err := NodeRange(context.Background(), f.engine)
	if err != nil {
		return nil, err
	}
	return f.in.Gardenlets.First(nodes)
}

// Adapt adds the gateways of handlers of exposure classes. The landscape's own kind cluster publishes their ports.
func (f *First) Adapt(c *gardenlet.Config) {
	f.Hosting.Adapt(c)
	c.Handlers, c.HandlerPorts = true, f.doors.ports()
}
