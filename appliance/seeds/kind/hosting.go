package kind

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/seeds/callbacks"
	"github.com/gardener-up/gardener-up/appliance/seeds/entry"
	"github.com/gardener-up/gardener-up/appliance/seeds/names"
	"github.com/gardener-up/gardener-up/appliance/shootdoors"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/callback"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/embedded/self"
	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/local"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/cluster"
	"github.com/gardener-up/gardener-up/local/containers"
	"github.com/gardener-up/gardener-up/local/host"
)

// StopTimeout is how long the containers of a seed may take to stop.
const StopTimeout = time.Minute

// Inputs are what a Hosting needs to know of a landscape.
type Inputs struct {
	Landscape  string // its name
	Image      string // the appliance image
	Paths      paths.Paths
	Store      *store.Store
	Zone       names.Zone
	NameServer string               // host:port of the one that serves Zone
	NodeImage  string               // of machines; by default that of the cluster's nodes
	NodeImages map[string]string    // of machines, by version of Kubernetes
	Doors      *shootdoors.Behind   // of shoots, which lead to the gateway of the seed; nil for none
	Calls      *callbacks.Callbacks // of the seed to this process
	// Own is whether the landscape has made the cluster. Etcds of such a seed go on while this process does not run.
	Own bool
	Log logr.Logger
}

// Hosting hosts a seed on nodes that are containers of this machine's engine. The landscape or a user has made the cluster.
// Hosting loads the appliance image into the nodes. The front door of the seed is a pod, and machines of shoots are containers beside the nodes.
type Hosting struct {
	in      Inputs
	seed    string // its name
	engine  *containers.Engine
	cluster *cluster.Existing
	entry   entry.Address
	// nodeImage is the image of machines, unless Inputs has one for their version of Kubernetes.
	nodeImage string

	// Known when prepared.
	brings   atomic.Pointer[cluster.Brought]
	backedUp atomic.Bool // whether the nodes have the directory for backups
	reached  atomic.Bool // whether this machine reaches the gateway
	told     sync.Once   // that it does not
}

// Prepare inspects the nodes and loads the appliance image into them. It may be repeated.
func (h *Hosting) Prepare(ctx context.Context) error {
	brings, err := h.cluster.Brought(ctx)
	if err != nil {
		return err
	}
	h.brings.Store(&brings)
	backedUp, err := h.cluster.HasBackups(ctx, h.in.Paths.Backups(h.seed))
	if err != nil {
		return err
	}
	h.backedUp.Store(backedUp)
	if !backedUp {
		h.in.Log.Info("Etcds of shoots on this seed are not backed up: its nodes do not have the directory for it", "seed", h.seed, "directory", cluster.BackupDir)
	}
	if err := h.locate(ctx); err != nil {
		return err
	}
	binary, id, err := thisBinary()
	if err != nil {
		return err
	}
	return h.cluster.Load(ctx, h.in.Image, id, func() (string, error) { return imageArchive(h.in.Paths.Images(), binary, h.in.Image, id) })
}

// Leave removes what Prepare has loaded, also by former versions of this binary.
func (h *Hosting) Leave(ctx context.Context) error {
	repository, _, _ := strings.Cut(path.Base(h.in.Image), ":")
	return h.cluster.Unload(ctx, path.Join(path.Dir(h.in.Image), repository))
}

// FrontDoor implements remote.Hosting.
func (h *Hosting) FrontDoor(ctx context.Context) (string, error) { return h.entry(ctx) }

// CallsBack implements remote.Hosting.
func (h *Hosting) CallsBack() bool { return false }

// Calls implements remote.Hosting.
func (h *Hosting) Calls(server string) webhook.Way { return h.in.Calls.Way(server) }

// OwnerServer implements remote.Hosting.
func (h *Hosting) OwnerServer() string {
	if !h.in.Own {
		return ""
	}
	return h.in.Calls.OwnerServer()
}

// Pods implements remote.Hosting: nodes run containers.
func (*Hosting) Pods() *podsignature.Signer { return nil }

// Backups implements remote.Hosting. Only the nodes of clusters that this landscape has made have the directory.
func (h *Hosting) Backups() string {
	if !h.backedUp.Load() {
		return ""
	}
	return cluster.BackupDir
}

// Adapt makes the gardenlet reach shoots through the seed's front door, and their nodes reach it at its own port.
func (h *Hosting) Adapt(c *gardenlet.Config) {
	c.ShootConfig = h.shootConfig
	c.MachineServerPort = cluster.TLSPort
	if h.reached.Load() {
		c.Doors = h.in.Doors
	}
	c.FrontDoorInSeed, c.ResourceManager, c.Tunnel = true, true, true
	h.in.Calls.Adapt(c)
	brings := h.brought()
	c.Images = shoot.Images{KubeProxy: brings.KubeProxy, CoreDNS: brings.CoreDNS}
}

// shootConfig reaches shoots through the seed's front door.
func (h *Hosting) shootConfig(kubeconfig []byte) (*rest.Config, error) {
	return entry.ShootConfig(h.entry, kubeconfig)
}

func (h *Hosting) brought() cluster.Brought {
	if brings := h.brings.Load(); brings != nil {
		return *brings
	}
	return cluster.Brought{}
}

// AddProvider adds the provider and the host of machines.
func (h *Hosting) AddProvider(mgr manager.Manager) error {
	binary, err := self.Path()
	if err != nil {
		return err
	}
	archive := func(context.Context) (string, error) {
		binary, id, err := thisBinary()
		if err != nil {
			return "", err
		}
		return imageArchive(h.in.Paths.Images(), binary, h.in.Image, id)
	}
	err = host.AddToManager(mgr, host.Config{
		Engine: h.engine, Landscape: h.in.Landscape, Seed: h.seed, Network: cluster.Network, Gateways: h.cluster.Addresses,
		Images: append(slices.Collect(maps.Values(h.in.NodeImages)), h.nodeImage), Binary: binary, Image: archive, Inventory: inventory{h.in.Store}, Log: h.in.Log.WithName("machine-host"),
		Place: places(h.in.Zone),
	})
	if err := errors.Join(err, h.in.Calls.AddToManager(mgr)); err != nil {
		return err
	}
	brings := h.brought()
	return local.AddToManager(mgr, local.Config{
		Zone: h.in.Zone.Of(h.seed), BackupDir: h.in.Paths.Backups(h.seed), Machines: api.Containers, NodeImage: machineImage(h.in.NodeImages, h.nodeImage), Image: h.in.Image,
		Network: brings.Network, Storage: brings.Storage, ShootConfig: h.shootConfig, Resolver: dns.Resolver(h.in.NameServer), Webhook: h.Calls(callback.ProviderLocal),
	})
}

// places asks the garden where a shoot is.
func places(zone names.Zone) func(ctx context.Context, shoot string) (host.Place, error) {
	return func(ctx context.Context, shoot string) (host.Place, error) {
		seed, moving, err := zone.Place(ctx, shoot)
		return host.Place{Seed: seed, Moving: moving}, err
	}
}

// machineImage returns the image of machines by their version of Kubernetes. Versions without one have the other image.
func machineImage(byVersion map[string]string, other string) func(_, _, kubernetesVersion string) string {
	return func(_, _, kubernetesVersion string) string { return cmp.Or(byVersion[kubernetesVersion], other) }
}

// Stop stops the machines when the landscape stops.
func (h *Hosting) Stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, StopTimeout)
	defer cancel()
	return host.StopMachinesOf(ctx, h.engine, h.in.Landscape, h.seed, inventory{h.in.Store})
}

// locate tells the doors of shoots where the gateway of the seed takes connections with a PROXY header. There are no doors if this machine
// does not reach it: the engine publishes the port only of clusters that this release or a newer one has made, and other ways to the nodes need
// an engine that runs on this machine itself.
func (h *Hosting) locate(ctx context.Context) error {
	if h.in.Doors == nil {
		return nil
	}
	addresses, err := h.cluster.FromHost(ctx, []int{cluster.ProxyProtocolPort})
	if err != nil {
		return err
	}
	gateway, err := netip.ParseAddrPort(addresses[cluster.ProxyProtocolPort])
	if err != nil {
		return fmt.Errorf("find the gateway of seed %q: %w", h.seed, err)
	}
	if !gateway.Addr().IsLoopback() && !reaches(ctx, gateway.Addr()) {
		h.told.Do(func() {
			h.in.Log.Info("Shoots get no addresses of their own on this machine: it does not reach the nodes of the seed", "seed", h.seed)
		})
		return nil
	}
	h.reached.Store(true)
	return h.in.Doors.Locate(gateway)
}
