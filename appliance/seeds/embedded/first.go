// Package embedded describes seeds whose pods and nodes are processes: the first seed in the process of the landscape, and
// the clusters that this binary runs in other processes.
package embedded

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/engine"
	"github.com/gardener-up/gardener-up/appliance/gardenlets"
	"github.com/gardener-up/gardener-up/appliance/gardenservice"
	"github.com/gardener-up/gardener-up/appliance/seeds/names"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/appliance/shootdoors"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/callback"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/local"
	"github.com/gardener-up/gardener-up/local/containers"
)

// Inputs are what an embedded first seed needs of its landscape.
type Inputs struct {
	Landscape  string // its name
	Runtime    servers.RuntimeInputs
	Network    servers.NetworkInputs // without the name server, the front doors and the garden, which the seed adds
	Domains    []string              // of shoots
	Store      *store.Store
	Zone       names.Zone
	Gardenlets gardenlets.Source
	Others     frontdoor.RouteSource // of shoots on other seeds
	Doors      *shootdoors.Doors     // of shoots; nil for none
}

// First is the first seed in the process of the landscape.
type First struct{ in Inputs }

// NewFirst returns a seed that does not run yet.
func NewFirst(in Inputs) First { return First{in} }

// Parts make the cluster and the network to it.
func (f First) Parts() ([]component.Part, error) {
	configuration, err := f.Gardenlet()
	if err != nil {
		return nil, err
	}
	in := f.in.Network
	in.NameServer = servers.NameServer(in.Ports, f.in.Domains, in.SeedClient(), f.in.Zone.Zone, in.Log)
	in.FrontDoors = servers.FrontDoors{
		Routes: in.Door.GardenRoutes(), Others: f.in.Others,
		Handlers: configuration.ExposureClassHandlers, Usual: configuration.SNI.Ingress.Labels,
	}
	in.Garden = in.Door.Address()
	network, err := servers.Network(in)
	return append(servers.Runtime(f.in.Runtime), network...), err
}

// Before are parts that controllers need in addition to the API server, because clients in this process use names of Services.
func (First) Before() []string { return []string{servers.Resolver} }

// Beside are parts that the seed needs to be ready.
func (First) Beside() []string { return []string{servers.Node} }

// Ranges are the ranges of loopback addresses that pods and Services have.
func (f First) Ranges() []string {
	return []string{f.in.Network.Cluster.PodCIDR, f.in.Network.Cluster.ServiceCIDR}
}

// EngineName is empty: nodes are processes.
func (First) EngineName() string { return "" }

// Engine finds the container engine for machines of kind seeds beside this one, and notes it. This process has mounts of its
// own. What an engine without a daemon mounts for its containers would vanish with the process, so only docker will do.
func (f First) Engine(ctx context.Context) (*containers.Engine, error) {
	found, err := engine.FindNoted(ctx, f.in.Landscape, f.in.Store)
	if err != nil {
		return nil, err
	}
	if found.Name() != containers.Docker {
		return nil, fmt.Errorf("%w for machines of kind seeds beside an embedded seed: they need docker, not %s", containers.ErrNoEngine, found.Name())
	}
	return found, engine.Note(f.in.Store, found)
}

// Name implements managers.Seed.
func (f First) Name() string { return f.in.Network.Cluster.Name }

// Config implements managers.Seed.
func (f First) Config() (*rest.Config, error) { return f.in.Network.SeedClient(), nil }

// Gardenlet implements managers.Seed.
func (f First) Gardenlet() (*config.GardenletConfiguration, error) {
	return f.in.Gardenlets.First(gardenlets.EmbeddedNodes)
}

// CallsBack implements managers.Seed.
func (First) CallsBack() bool { return true }

// Calls implements managers.Seed.
func (First) Calls(string) webhook.Way { return webhook.Way{} }

// Pods implements managers.Seed.
func (f First) Pods() *podsignature.Signer { return f.in.Network.PKI.Pods }

// OwnerServer implements managers.Seed: the name server of the seed knows the owners, and ends with the seed.
func (First) OwnerServer() string { return "" }

// Backups implements managers.Seed.
func (f First) Backups() string { return f.in.Network.Paths.Backups(f.Name()) }

// Adapt changes little: names of Services resolve in this process as they do in the seed.
func (f First) Adapt(c *gardenlet.Config) {
	c.Handlers, c.Doors = true, f.in.Doors.Direct()
	if c.Garden != nil {
		c.GardenInSeed = gardenservice.InSeed(*c.Garden)
	}
}

// AddProvider implements managers.Seed.
func (f First) AddProvider(mgr manager.Manager) error {
	return local.AddToManager(mgr, local.Config{
		Zone: f.in.Zone.Of(f.Name()), BackupDir: f.Backups(), VolumeDir: f.in.Network.Paths.Volumes(), ShootVolumeDir: f.in.Network.Paths.Shared().Volumes(), Image: f.in.Network.Image, Pods: f.in.Network.PKI.Pods,
		Resolver: dns.Resolver(f.in.Network.Ports.Local(servers.DNS)), Webhook: f.Calls(callback.ProviderLocal), ShootConfig: clientcmd.RESTConfigFromKubeConfig,
	})
}
