package appliance

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
	"github.com/gardener-up/gardener-up/local/cluster"
	"github.com/gardener-up/gardener-up/local/containers"
	"github.com/gardener-up/gardener-up/local/host"
)

// Kinds of inventory items that a container engine keeps; the ID is the name.
const (
	itemCluster   = "cluster"
	itemContainer = "container"
	itemNetwork   = "network"
)

const (
	// kindWatchPeriod is how often the seed's container is looked at.
	kindWatchPeriod = 5 * time.Second
	// kindReadyTimeout is how long the cluster may take to be made; pulling and slow machines included.
	kindReadyTimeout = 10 * time.Minute
	// kindStopTimeout is how long its containers may take to stop.
	kindStopTimeout = time.Minute
)

// kindSeed is a seed that is a kind cluster, which the landscape makes.
type kindSeed struct {
	*kindNodes
	made  *cluster.Cluster
	ready atomic.Bool
	doors handlerDoors
}

func newKindSeed(ctx context.Context, a *appliance, zone *dns.Zone) (*kindSeed, error) {
	made, _, err := a.store.Engine()
	if err != nil {
		return nil, err
	}
	engine, err := findEngine(ctx, a.Config.Name, made)
	if err != nil {
		return nil, err
	}
	a.Log.Info("Container engine is found", "engine", engine.Endpoint().String(), "version", engine.Version())
	if err := keepEngine(a.store, engine); err != nil {
		return nil, err
	}
	a.engine = engine.Endpoint().String()
	doors, err := newHandlerDoors(a)
	if err != nil {
		return nil, err
	}
	c, err := cluster.New(engine, cluster.Config{
		Name: kindClusterName(a.Config.Name), NodeImage: a.Config.Seed.NodeImage, Kubeconfig: a.Paths.Kubeconfig("seed"),
		APIServerPort: a.ports["kind-apiserver"], FrontDoorPort: a.ports["kind-front-door"],
		Published: doors.published(), PodCIDR: a.Config.Seed.PodCIDR, ServiceCIDR: a.Config.Seed.ServiceCIDR,
	}, a.Log.WithName("kind"))
	if err != nil {
		return nil, err
	}
	return &kindSeed{made: c, doors: doors, kindNodes: &kindNodes{
		a: a, zone: zone, seed: a.Config.Seed.Name, engine: engine, cluster: c.Existing, nodeImage: a.Config.Seed.NodeImage,
		entry: always(a.ports.local("kind-front-door")),
	}}, nil
}

// kindClusterName is what kind get clusters shows for the seed of a landscape.
func kindClusterName(landscape string) string { return "gardener-" + landscape }

// parts are the cluster itself and the way of users to it.
func (k *kindSeed) parts() ([]component.Part, error) {
	a := k.a
	parts := []component.Part{
		{Component: a.nameServer(nil, k.zone)}, // answers for the names of API servers to whoever asks it
		{Title: "kind cluster", ReadyTimeout: kindReadyTimeout, StopTimeout: kindStopTimeout, Component: component.NewLoop(seedServing, k.run, func(context.Context) error {
			if !k.ready.Load() {
				return errors.New("the kind cluster is not ready yet")
			}
			return nil
		})},
		{Component: frontdoor.New(frontdoor.Config{ // the front door in the seed knows the shoots
			Name: "front-door", Addresses: []string{frontDoorAddress(a.Config, a.ports["front-door"])},
			Routes:  a.gardenRoutes(),
			Sources: []frontdoor.RouteSource{a.seeds, frontdoor.All{Host: "127.0.0.1", Port: int(a.ports["kind-front-door"])}},
			Log:     a.Log.WithName("front-door"),
		})},
	}
	return append(parts, k.doors.parts()...), nil
}

func (k *kindSeed) before() []string { return nil }

func (k *kindSeed) beside() []string { return nil }

func (k *kindSeed) name() string { return k.a.Config.Seed.Name }

func (k *kindSeed) user() (pki.Pair, error) { return k.a.bundle.Gardenlet, nil }

func (k *kindSeed) gardenlet() (*config.GardenletConfiguration, error) {
	nodes, err := k.nodes()
	if err != nil {
		return nil, err
	}
	return k.a.gardenletConfiguration(nodes)
}

// nodes is the IPv4 range of the engine's network.
func (k *kindSeed) nodes() (string, error) {
	network, err := k.engine.InspectNetwork(context.Background(), cluster.Network)
	if err != nil {
		return "", err
	}
	for _, subnet := range network.Subnets {
		if prefix, err := netip.ParsePrefix(subnet); err == nil && prefix.Addr().Is4() {
			return subnet, nil
		}
	}
	return "", fmt.Errorf("network %s of %s has no IPv4 range", cluster.Network, k.engine.Name())
}

// adapt adds the gateways of handlers of exposure classes, whose ports a cluster of our own publishes.
func (k *kindSeed) adapt(c *gardenlet.Config) {
	k.kindNodes.adapt(c)
	c.Handlers, c.HandlerPorts = true, k.doors.ports()
}

// run makes the cluster and then keeps it running until ctx ends, when it is stopped. Only the first attempt may fail.
func (k *kindSeed) run(ctx context.Context) error {
	if err := k.ensure(ctx); err != nil {
		return errors.Join(err, k.stop(context.WithoutCancel(ctx)))
	}
	k.ready.Store(true)
	defer k.ready.Store(false)
	ticker := time.NewTicker(kindWatchPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return k.stop(context.WithoutCancel(ctx))
		case <-ticker.C:
		}
		if err := k.made.Running(ctx); err == nil || ctx.Err() != nil {
			if err := k.doors.locate(ctx, k.cluster); err != nil && ctx.Err() == nil {
				k.a.Log.Error(err, "Gateways of exposure classes cannot be found")
			}
			continue
		} else {
			k.a.Log.Info("Kind cluster has gone and is brought back", "reason", err.Error())
		}
		if err := k.ensure(ctx); err != nil && ctx.Err() == nil {
			k.a.Log.Error(err, "Kind cluster cannot be brought back, will try again")
		}
	}
}

// ensure notes what it is going to make before it does, so that purge finds it.
func (k *kindSeed) ensure(ctx context.Context) error {
	if err := k.note(ctx); err != nil {
		return err
	}
	if _, err := k.made.Ensure(ctx); err != nil {
		return err
	}
	if err := k.doors.locate(ctx, k.cluster); err != nil {
		return err
	}
	return k.prepare(ctx)
}

func (k *kindSeed) note(ctx context.Context) error {
	s := k.a.store
	_, err := k.engine.InspectNetwork(ctx, cluster.Network)
	if errors.Is(err, containers.ErrNotFound) { // others' networks are not ours to remove
		err = s.AddItem(store.Item{Kind: itemNetwork, ID: cluster.Network, Created: time.Now().UTC()})
	}
	if err != nil {
		return err
	}
	return s.AddItem(store.Item{Kind: itemCluster, ID: kindClusterName(k.a.Config.Name), Created: time.Now().UTC()})
}

// stop stops the containers of the landscape, all at once: whole systems take their time.
func (k *kindSeed) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, kindStopTimeout)
	defer cancel()
	machines := make(chan error, 1)
	go func() { machines <- host.StopMachines(ctx, k.engine, k.a.Config.Name, "") }()
	return errors.Join(k.made.Stop(ctx), <-machines)
}

// inventoryOf notes containers in the store.
type inventoryOf struct{ store *store.Store }

// Add implements host.Inventory.
func (i inventoryOf) Add(kind, name string) error {
	return i.store.AddItem(store.Item{Kind: kind, ID: name, Created: time.Now().UTC()})
}

// Remove implements host.Inventory.
func (i inventoryOf) Remove(kind, name string) error { return i.store.RemoveItem(kind, name) }

// config is that of the cluster's administrator.
func (k *kindSeed) config() (*rest.Config, error) {
	admin, err := clientcmd.BuildConfigFromFlags("", k.a.Paths.Kubeconfig("seed"))
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig of the kind cluster: %w", err)
	}
	return admin, nil
}

// always is a front door whose address does not change.
func always(address string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return address, nil }
}

// shootConfigVia is the configuration of a client from outside of the seed, where the names of its Services mean nothing: it
// connects to the seed's front door, whatever server the kubeconfig names, and is led to the API server by that name.
func shootConfigVia(frontDoor func(context.Context) (string, error), kubeconfig []byte) (*rest.Config, error) {
	shoot, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return nil, err
	}
	shoot.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
		address, err := frontDoor(ctx)
		if err != nil {
			return nil, err
		}
		return (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, "tcp", address)
	}
	return shoot, nil
}
