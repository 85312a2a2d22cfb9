package appliance

import (
	"context"
	"net/netip"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/backupaccess"
	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/gardenlets"
	objects "github.com/gardener-up/gardener-up/appliance/landscape"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/appliance/managers"
	"github.com/gardener-up/gardener-up/appliance/monitoring"
	"github.com/gardener-up/gardener-up/appliance/neighbours"
	"github.com/gardener-up/gardener-up/appliance/notices"
	"github.com/gardener-up/gardener-up/appliance/operators"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/seeds"
	"github.com/gardener-up/gardener-up/appliance/seeds/embedded"
	"github.com/gardener-up/gardener-up/appliance/seeds/names"
	"github.com/gardener-up/gardener-up/appliance/seeds/own"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/appliance/shootdoors"
	"github.com/gardener-up/gardener-up/appliance/snapshots"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/tokenwebhook"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/tokenkeys"
)

// landscape is a whole landscape: the garden, its first seed, all controllers, and further seeds.
type landscape struct {
	*process
	provider provider
	garden   func() (client.Client, error) // uncached

	zone  names.Zone
	doors *shootdoors.Doors // nil if users may be on other machines
	first firstSeed
	seeds *seeds.List // remote ones
	own   *own.Seeds

	listed []component.Part // all parts, once they are listed

	tokenKeys *tokenkeys.Keys   // of service accounts in the garden
	snapshots *snapshots.Keeper // of the garden's etcd
}

func newLandscape(p *process) *landscape {
	p.gardenNames = &servers.GardenNames{}
	return &landscape{process: p, provider: providers[p.Config.Seed.Provider], garden: sync.OnceValues(func() (client.Client, error) {
		return managers.Client(p.servers().GardenClient(), install.AddGarden)
	})}
}

// parts lists everything that runs, top to bottom in the order of dependency; it stops in reverse.
func (l *landscape) parts(ctx context.Context) ([]component.Part, error) {
	if err := l.makeSeeds(ctx); err != nil {
		return nil, err
	}
	runtime, err := l.first.Parts()
	if err != nil {
		return nil, err
	}
	l.notices = notices.New(l.Config.Seed.Name, append([]string{servers.Disk}, l.provider.etcds...), l.garden, l.Log.WithName("notices"))
	admission := servers.NewAdmission(l.servers())
	controllers := managers.NewFirst(l.managers(admission), l.first)
	ready := append([]string{servers.FrontDoor}, l.first.Beside()...) // what users need in addition to controllers

	bundled, beforeNodes := l.bundlePart()
	for i := range runtime {
		runtime[i].After = append(runtime[i].After, beforeNodes...)
	}

	var parts []component.Part
	add := func(more ...component.Part) { parts = append(parts, more...) }
	add(servers.DiskPart(l.disk))
	add(servers.Garden(l.gardenServers(admission))...) // begins with its etcd
	add(l.tokenWebhook()...)                           // for people in the garden; usually nothing
	add(bundled...)                                    // usually nothing
	add(runtime...)                                    // begins with its etcd, or is a container
	add(objects.Part(l.objects()))                     // in the garden
	if l.doors != nil {
		part, err := l.doors.Part()
		if err != nil {
			return nil, err
		}
		add(part)
	}
	add(component.Part{After: []string{servers.GardenerAPI}, Restart: true, Component: loop.New("notices", l.notices.Run, nil)})
	add(controllers.Parts(servers.SeedAPIServer, append([]string{objects.PartName}, l.first.Before()...)...)...)
	add(l.own.Part(append(beforeNodes, objects.PartName)...)) // API servers wait for open watches when they stop, so what reads from them stops first
	add(l.seeds.Part(controllers, l.first.Engine))            // reads through the caches of the controllers
	add(monitoring.Part(l.monitoring()))
	add(seeds.Gate(l.Config.Seed.Name, l.garden, append(ready, managers.Roles()...)))
	backups, err := l.backups()
	if err != nil {
		return nil, err
	}
	add(backups...)
	return l.list(parts), nil
}

func (l *landscape) gardenServers(admission *servers.Admission) servers.GardenInputs {
	l.tokenKeys = l.servers().NewTokenKeys()
	return servers.GardenInputs{
		Inputs: l.servers(), Settings: l.Config.Garden, ClusterID: l.Identity.ID, Zone: l.zone.Zone, Admission: admission,
		TokenKeys: l.tokenKeys, Snapshots: func(k *snapshots.Keeper) { l.snapshots = k },
	}
}

// tokenWebhook lists nothing unless the configuration asks for OpenIDConnects in the garden.
func (l *landscape) tokenWebhook() []component.Part {
	settings := l.Config.Garden.OpenIDConnectWebhook
	if !settings.Enabled {
		return nil
	}
	return tokenwebhook.Parts(tokenwebhook.Inputs{
		Inputs: l.servers(), AllowedIssuerHosts: settings.AllowedIssuerHosts, PrivateNetworks: l.Config.Tenants.Networks(),
	})
}

// monitoring reads of all seeds that this process serves. Servers of an embedded first seed run in it.
func (l *landscape) monitoring() monitoring.Inputs {
	in := monitoring.Inputs{
		Name: servers.Metrics, Landscape: l.Config.Name, Address: l.Ports.Local(servers.Metrics), Server: l.bundle.Metrics, Log: l.Log,
		GardenConfig: l.servers().GardenClient(), Garden: l.garden, Parts: func() []component.Status { return l.statuses() },
		Seeds:   func() []managers.Seed { return append([]managers.Seed{l.first}, l.seeds.Served()...) },
		Runtime: l.first.Config,
	}
	if l.Config.Seed.Provider == config.ProviderEmbedded {
		in.First = l.Config.Seed.Name
	}
	return in
}

func (l *landscape) objects() objects.Inputs {
	return objects.Inputs{
		Values: objects.Values{
			InternalDomain: l.Config.InternalDomain(), ExternalDomain: l.Config.ExternalDomain(), KubernetesVersions: objects.KubernetesVersions(),
		},
		Garden: l.garden, After: []string{servers.GardenerAPI}, Title: managers.Title,
	}
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
		Landscape: l.Config.Name, ID: l.Identity.ID, First: l.Config.Seed.Name, Image: l.Config.Image, NodeImages: l.Config.Seed.NodeImages,
		Paths: l.Paths, Store: l.Store, Zone: l.zone, NameServer: l.Ports.Local(servers.DNS), GardenAt: l.servers().FrontDoorAddress(), Log: l.Log, Gardenlets: l.gardenlets(), Doors: l.doors,
		Observe: l.observe,
	})
	l.first, err = l.provider.first(ctx, embedded.Inputs{
		Inputs: l.servers(), Version: l.Version, SetResolver: l.SetResolver, Store: l.Store, Zone: l.zone,
		Gardenlets: l.gardenlets(), Others: l.seeds, Doors: l.doors,
	}, l.Config.Seed)
	if err != nil {
		return err
	}
	l.own = own.New(own.Inputs{
		Inherited: own.Inherited{Landscape: l.Config.Name, Domain: l.Config.Domain, Image: l.Config.Image, Log: l.Config.Log, Storage: l.Config.Storage, Containers: l.Config.Containers, SimulateMissingImages: l.Config.SimulateMissingImages, RegistryMirrors: l.Config.RegistryMirrors, Tenants: l.Config.Tenants},
		First:     l.Config.Seed.Name, Listed: l.Config.Seeds, Validate: l.validateFurther,
		Paths: l.Paths, Store: l.Store, Log: l.Log, Gardenlets: l.gardenlets(), NameServer: l.Ports.Local(servers.DNS), GardenAt: l.servers().FrontDoorAddress(),
		Neighbours:  func() ([]netip.Prefix, error) { return neighbours.Ranges(l.Paths, servers.FrontDoor) },
		FirstRanges: l.first.Ranges(), Garden: l.garden, Served: l.seeds.AllReady, Observe: l.observe,
		WithDefaults: l.Config.WithDefaults, Ports: l.Ports, Engine: l.first.Engine,
	})
	return nil
}

// doorsOfShoots are doors at loopback addresses. Only users of this machine reach these. If the front door is open for others, the
// names of shoots are the only addresses that work for everybody.
func (l *landscape) doorsOfShoots() *shootdoors.Doors {
	if address, err := netip.ParseAddr(l.Config.FrontDoor.Address); err != nil || !address.IsLoopback() {
		return nil
	}
	return shootdoors.New(l.Store, uint16(l.Ports[servers.FrontDoor]), l.Log)
}

func (l *landscape) addressesOfShoots() ([]netip.AddrPort, error) {
	if l.doors == nil {
		return nil, nil
	}
	return l.doors.All()
}

func (l *landscape) validateFurther(seed config.FurtherSeed) error {
	return config.ValidateFurther(l.Config, seed).ToAggregate()
}

func (l *landscape) managers(admission *servers.Admission) managers.Inputs {
	return managers.Inputs{
		Admission: admission.Controller(operators.Group), AdmissionController: l.Config.AdmissionController,
		Image: image.Named(l.Config.Image), Log: l.Log, Ports: l.Ports, GardenConfig: l.servers().GardenClient(), ControllerManager: l.Config.ControllerManager, Scheduler: l.Config.Scheduler,
		Gardenlets: l.gardenlets(), Garden: l.gardenOperator(), GardenOperator: l.Config.Operator, FrontDoorAddress: l.Config.FrontDoor.Address, FrontDoorPort: int(l.Ports[servers.FrontDoor]),
		GardenHost: servers.GardenHost(l.Config.GardenDomain()), GardenCA: l.bundle.Garden.CA, MetricsURL: l.servers().MetricsURL(),
		InternalDomain: l.Config.InternalDomain(), PrivateNetworks: l.Config.Tenants.Networks(), ShootDoors: l.addressesOfShoots,
		BackupAccess: backupaccess.Copies{Dir: l.Paths.Backups}, Resolver: dns.Resolver(l.Ports.Local(servers.DNS)),
	}
}

func (l *landscape) gardenlets() gardenlets.Source {
	return gardenlets.Source{
		Identity: l.Identity, Keys: l.Config.Gardenlet, LogLevel: l.Config.Log.Level, HealthPort: l.Ports[gardenlets.Port], Version: l.Version,
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
	local = append(append(local, servers.ClusterListeners()...), l.provider.etcds...)
	if l.Config.Garden.OpenIDConnectWebhook.Enabled {
		local = append(local, servers.TokenWebhook)
	}
	return state.Listeners{FrontDoor: servers.FrontDoor, Local: local, Published: l.provider.published}
}

func (l *landscape) hosts() pki.Hosts {
	out := pki.Hosts{GardenAPI: []string{servers.GardenHost(l.Config.GardenDomain())}, GardenerAPI: []string{servers.DiscoveryHost(l.Config.GardenDomain())}, Metrics: []string{servers.MetricsHost(l.Config.GardenDomain())}}
	if l.Config.Garden.OpenIDConnectWebhook.Enabled {
		out.TokenWebhook = tokenwebhook.Users()
	}
	return out
}

func (l *landscape) writeKubeconfigs() error {
	if err := l.servers().WriteGardenKubeconfigs(); err != nil {
		return err
	}
	return l.provider.writeKubeconfigs(l.servers())
}

func (l *landscape) further() []*component.Supervisor {
	return append(l.own.Supervisors(), l.seeds.Supervisors()...)
}

func (l *landscape) engine() string { return l.first.EngineName() }

func (l *landscape) ownSeeds() ownSeeds { return l.own }
