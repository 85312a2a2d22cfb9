package appliance

import (
	"context"
	"net/netip"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/gardenlets"
	"github.com/gardener-up/gardener-up/appliance/managers"
	"github.com/gardener-up/gardener-up/appliance/neighbours"
	"github.com/gardener-up/gardener-up/appliance/operatorhost"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/seeds"
	"github.com/gardener-up/gardener-up/appliance/seeds/embedded"
	"github.com/gardener-up/gardener-up/appliance/seeds/first"
	"github.com/gardener-up/gardener-up/appliance/seeds/names"
	"github.com/gardener-up/gardener-up/appliance/seeds/own"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/appliance/shootdoors"
	"github.com/gardener-up/gardener-up/appliance/snapshots"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/tokenwebhook"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/tokenkeys"
)

// landscape is a whole landscape: the garden, its first seed, all controllers, and further seeds.
type landscape struct {
	Options
	process  *process
	provider first.Provider
	names    *servers.GardenNames          // those that the Garden adds
	garden   func() (client.Client, error) // uncached

	zone  names.Zone
	doors *shootdoors.Doors // nil if users may be on other machines
	first first.Seed
	seeds *seeds.List // remote ones
	own   *own.Seeds

	all operatorhost.Parts

	tokenKeys *tokenkeys.Keys   // of service accounts in the garden
	snapshots *snapshots.Keeper // of the garden's etcd
}

func newLandscape(p *process) *landscape {
	return &landscape{Options: p.Options, process: p, names: &servers.GardenNames{}, provider: first.Providers[p.Config.Seed.Provider], garden: sync.OnceValues(func() (client.Client, error) {
		return managers.Client(p.access().GardenClient(), install.AddGarden)
	})}
}

// door is the front door, with the names that the Garden adds.
func (l *landscape) door() servers.Door {
	door := l.process.door()
	door.Names = l.names
	return door
}

// network are the inputs of the network of an embedded first seed.
func (l *landscape) network() servers.NetworkInputs {
	in := l.process.network()
	in.Door = l.door()
	return in
}

// nameGarden opens the front door for the names that the Garden has added before this start. The Garden sets them again once it is
// reconciled.
func (l *landscape) nameGarden() error {
	added, err := l.process.pki.FurtherNames()
	if err != nil {
		return err
	}
	l.names.Set(added)
	return nil
}

// makeSeeds makes the first seed and the lists of the other seeds. They reach each other only through functions.
func (l *landscape) makeSeeds(ctx context.Context) (err error) {
	zone, err := dns.OpenZone(l.Paths.Zone())
	if err != nil {
		return err
	}
	l.zone = names.Zone{Zone: zone, Garden: l.garden}
	for _, file := range l.zone.Damaged() {
		l.Log.Info("A DNS record cannot be read and is set aside", "file", file)
	}
	l.doors = l.doorsOfShoots()
	l.seeds = seeds.New(seeds.Inputs{
		Landscape: l.Config.Name, ID: l.process.state.Identity.ID, First: l.Config.Seed.Name, Image: l.Config.Image, NodeImages: l.Config.Seed.NodeImages,
		Paths: l.Paths, Store: l.process.state.Store, Zone: l.zone, NameServer: l.process.state.Ports.Local(servers.DNS), GardenAt: l.door().Address(), Log: l.Log, Gardenlets: l.gardenlets(), Doors: l.doors,
		Observe: l.process.observe,
	})
	l.first, err = l.provider.New(ctx, embedded.Inputs{
		Landscape: l.Config.Name, Runtime: l.process.runtime(), Network: l.network(), Domains: []string{l.Config.InternalDomain(), l.Config.ExternalDomain()},
		Store: l.process.state.Store, Zone: l.zone, Gardenlets: l.gardenlets(), Others: l.seeds, Doors: l.doors,
	}, l.Config.Seed)
	if err != nil {
		return err
	}
	l.own = own.New(own.Inputs{
		Inherited: own.Inherited{Landscape: l.Config.Name, Domain: l.Config.Domain, Image: l.Config.Image, Log: l.Config.Log, Storage: l.Config.Storage, Containers: l.Config.Containers, SimulateMissingImages: l.Config.SimulateMissingImages, RegistryMirrors: l.Config.RegistryMirrors, Tenants: l.Config.Tenants},
		First:     l.Config.Seed.Name, Listed: l.Config.Seeds, Validate: l.validateFurther,
		Paths: l.Paths, Store: l.process.state.Store, Log: l.Log, Gardenlets: l.gardenlets(), NameServer: l.process.state.Ports.Local(servers.DNS), GardenAt: l.door().Address(),
		Neighbours:  func() ([]netip.Prefix, error) { return neighbours.Ranges(l.Paths, servers.FrontDoor) },
		Listeners:   neighbours.Listeners,
		FirstRanges: l.first.Ranges(), Garden: l.garden, Served: l.seeds.AllReady, Observe: l.process.observe,
		WithDefaults: l.Config.WithDefaults, Ports: l.process.state.Ports, Engine: l.first.Engine,
	})
	return nil
}

// doorsOfShoots are doors at loopback addresses. Only users of this machine reach these. If the front door is open for others, the
// names of shoots are the only addresses that work for everybody.
func (l *landscape) doorsOfShoots() *shootdoors.Doors {
	if address, err := netip.ParseAddr(l.Config.FrontDoor.Address); err != nil || !address.IsLoopback() {
		return nil
	}
	return shootdoors.New(l.process.state.Store, uint16(l.process.state.Ports[servers.FrontDoor]), l.Log)
}

func (l *landscape) validateFurther(seed config.FurtherSeed) error {
	return config.ValidateFurther(l.Config, seed).ToAggregate()
}

func (l *landscape) gardenlets() gardenlets.Source {
	return gardenlets.Source{
		Identity: l.process.state.Identity, Keys: l.Config.Gardenlet, LogLevel: l.Config.Log.Level, HealthPort: l.process.state.Ports[gardenlets.Port], Version: l.Version,
		Zones: l.Config.Seed.Zones, FurtherZones: config.EmbeddedZones(), KindZones: l.kindZones(),
	}
}

// kindZones are the zones of further kind seeds: those of a first seed on kind, so that its shoots can move.
func (l *landscape) kindZones() []string {
	if l.Config.Seed.Kind() {
		return l.Config.Seed.Zones
	}
	return config.KindZones()
}

func (l *landscape) listeners() state.Listeners {
	local := append(servers.GardenListeners(), managers.ControllerManager, managers.Scheduler, gardenlets.Port)
	local = append(append(local, servers.ClusterListeners()...), l.provider.Etcds...)
	if l.Config.Garden.OpenIDConnectWebhook.Enabled {
		local = append(local, servers.TokenWebhook)
	}
	return state.Listeners{FrontDoor: servers.FrontDoor, Local: local, Published: l.provider.Published}
}

func (l *landscape) hosts() pki.Hosts {
	out := pki.Hosts{GardenAPI: []string{servers.GardenHostname(l.Config.GardenDomain())}, GardenerAPI: []string{servers.DiscoveryHostname(l.Config.GardenDomain())}, Metrics: []string{servers.MetricsHostname(l.Config.GardenDomain())}}
	if l.Config.Garden.OpenIDConnectWebhook.Enabled {
		out.TokenWebhook = tokenwebhook.Users()
	}
	return out
}

func (l *landscape) writeKubeconfigs() error {
	if err := l.process.kubeconfigs().WriteGarden(); err != nil {
		return err
	}
	return l.provider.WriteKubeconfigs(l.process.kubeconfigs())
}

func (l *landscape) further() []*component.Supervisor {
	return append(l.own.Supervisors(), l.seeds.Supervisors()...)
}

func (l *landscape) engine() string { return l.first.EngineName() }

func (l *landscape) ownSeeds() ownSeeds { return l.own }
