package appliance

import (
	"context"
	"net/netip"

	"github.com/gardener-up/gardener-up/appliance/backup/schedule"
	"github.com/gardener-up/gardener-up/appliance/backupaccess"
	"github.com/gardener-up/gardener-up/appliance/bundle/load"
	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	objects "github.com/gardener-up/gardener-up/appliance/landscape"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/appliance/managers"
	"github.com/gardener-up/gardener-up/appliance/monitoring"
	"github.com/gardener-up/gardener-up/appliance/notices"
	"github.com/gardener-up/gardener-up/appliance/operatorhost"
	"github.com/gardener-up/gardener-up/appliance/operators"
	"github.com/gardener-up/gardener-up/appliance/seeds"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/appliance/snapshots"
	"github.com/gardener-up/gardener-up/appliance/tokenwebhook"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/embedded/image"
)

// parts lists everything that runs, top to bottom in the order of dependency; it stops in reverse.
func (l *landscape) parts(ctx context.Context) ([]component.Part, error) {
	if err := l.nameGarden(); err != nil {
		return nil, err
	}
	if err := l.makeSeeds(ctx); err != nil {
		return nil, err
	}
	runtime, err := l.first.Parts()
	if err != nil {
		return nil, err
	}
	notes := notices.New(l.Config.Seed.Name, append([]string{servers.Disk}, l.provider.Etcds...), l.garden, l.Log.WithName("notices"))
	l.process.observers = append(l.process.observers, notes.Observe)
	l.tokenKeys = servers.NewTokenKeys(l.process.bundle.Garden, l.Config.GardenDomain())
	admission := servers.NewAdmission(l.process.access())
	controllers := managers.NewFirst(l.managers(admission), l.first)
	ready := append([]string{servers.FrontDoor}, l.first.Beside()...) // what users need in addition to controllers

	bundled, beforeNodes := load.Parts(l.Config.Bundle, l.Shared, l.Log)
	for i := range runtime {
		runtime[i].After = append(runtime[i].After, beforeNodes...)
	}

	var parts []component.Part
	add := func(more ...component.Part) { parts = append(parts, more...) }
	add(servers.DiskPart(l.process.disk))
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
	add(component.Part{After: []string{servers.GardenerAPI}, Restart: true, Component: loop.New("notices", notes.Run, nil)})
	add(controllers.Parts(servers.SeedAPIServer, append([]string{objects.PartName}, l.first.Before()...)...)...)
	add(l.own.Part(append(beforeNodes, objects.PartName)...)) // API servers wait for open watches when they stop, so what reads from them stops first
	add(l.seeds.Part(controllers, l.first.Engine))            // reads through the caches of the controllers
	add(monitoring.Part(l.monitoring()))
	add(seeds.Gate(l.Config.Seed.Name, l.garden, append(ready, managers.Roles()...)))
	backups, err := schedule.Parts(l.Config.Backup, l.Paths, l.Log, seeds.GateName)
	if err != nil {
		return nil, err
	}
	add(backups...)
	return l.all.List(parts), nil
}

func (l *landscape) gardenServers(admission *servers.Admission) servers.GardenInputs {
	return servers.GardenInputs{
		Etcds: l.process.etcds(), Door: l.door(), Settings: l.Config.Garden, ClusterID: l.process.state.Identity.ID, Zone: l.zone.Zone, Admission: admission,
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
		Access: l.process.access(), Kubeconfig: servers.TokenWebhookKubeconfig(l.Paths), Log: l.Log,
		AllowedIssuerHosts: settings.AllowedIssuerHosts, PrivateNetworks: l.Config.Tenants.Networks(),
	})
}

// monitoring reads of all seeds that this process serves. Servers of an embedded first seed run in it.
func (l *landscape) monitoring() monitoring.Inputs {
	in := monitoring.Inputs{
		Name: servers.Metrics, Landscape: l.Config.Name, Address: l.process.state.Ports.Local(servers.Metrics), Server: l.process.bundle.Metrics, Log: l.Log,
		GardenConfig: l.process.access().GardenClient(), Garden: l.garden, Parts: func() []component.Status { return l.process.statuses() },
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

func (l *landscape) addressesOfShoots() ([]netip.AddrPort, error) {
	if l.doors == nil {
		return nil, nil
	}
	return l.doors.All()
}

// operatorHost describes the landscape to the controllers of its Garden.
func (l *landscape) operatorHost() operatorhost.Inputs {
	return operatorhost.Inputs{
		Landscape: l.Config.Name, ID: l.process.state.Identity.ID, Version: l.Version, Access: l.process.access(), Door: l.door(), Paths: l.Paths, Log: l.Log,
		PKI: l.process.pki, WriteKubeconfigs: l.process.kubeconfigs().WriteGarden, NoteRotation: l.process.state.NoteRotation, TokenKeys: l.tokenKeys,
		Snapshot: func(ctx context.Context) error { return l.snapshots.Full(ctx) }, Parts: &l.all,
	}
}

func (l *landscape) managers(admission *servers.Admission) managers.Inputs {
	c, state := l.Config, l.process.state
	door := managers.FrontDoor{Address: c.FrontDoor.Address, Port: int(state.Ports[servers.FrontDoor])}
	return managers.Inputs{
		GardenConfig: l.process.access().GardenClient(),
		Seeds: managers.SeedInputs{
			Log: l.Log, Image: image.Named(c.Image), Gardenlets: l.gardenlets(), FrontDoor: door, GardenHostname: servers.GardenHostname(c.GardenDomain()),
			GardenCA: l.process.bundle.Garden.CA, InternalDomain: c.InternalDomain(), PrivateNetworks: c.Tenants.Networks(), MetricsURL: l.door().MetricsURL(),
			BackupAccess: backupaccess.Copies{Dir: l.Paths.Backups}, Resolver: dns.Resolver(state.Ports.Local(servers.DNS)),
		},
		Roles: managers.GardenInputs{
			Log: l.Log, Ports: state.Ports, ControllerManager: c.ControllerManager, Scheduler: c.Scheduler, AdmissionController: c.AdmissionController,
			Admission: admission.Controller(operators.Group), PrivateNetworks: c.Tenants.Networks(), FrontDoor: door, ShootDoors: l.addressesOfShoots,
		},
		Operator: managers.OperatorInputs{Configuration: c.Operator, Garden: operatorhost.Garden(l.operatorHost())},
	}
}
