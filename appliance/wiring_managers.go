package appliance

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/controllers/controllermanager"
	"github.com/gardener-up/gardener-up/controllers/druid"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/scheduler"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// managers runs the controllers of one seed, each role in managers of its own; those of the first seed run the garden's,
// too. All read through the same caches.
type managers struct {
	a    *appliance
	seed seed
	// garden is the cluster whose cache others run; nil makes it here, which is for the first seed.
	garden cluster.Cluster
	shared atomic.Pointer[clusters]
}

// clusters are what controllers act on.
type clusters struct{ garden, seed cluster.Cluster }

// Roles of every seed; those of further seeds are followed by the name of the seed.
const (
	roleGardenlet = "gardenlet"
	roleOperators = "seed-operators"
)

// part is the name of a part for this seed.
func (m *managers) part(name string) string {
	if m.garden == nil {
		return name
	}
	return name + "-" + m.seed.name()
}

// gardenRoles are the counterparts of Gardener's components that act for the garden.
func (m *managers) gardenRoles() []component.Component {
	return []component.Component{
		m.role("gardener-controller-manager", m.controllerManager),
		m.role("gardener-scheduler", m.scheduler),
	}
}

// seedRoles are the gardenlet, and what looks after the seed's own objects.
func (m *managers) seedRoles() []component.Component {
	return []component.Component{
		m.role(m.part(roleGardenlet), m.gardenlet),
		m.role(m.part(roleOperators), m.operators),
	}
}

// health is where a role serves its health unless the user's configuration says otherwise.
func (m *managers) health(role string) string {
	switch role {
	case "gardener-controller-manager":
		if configuration, err := m.a.controllerManagerConfiguration(); err == nil && configuration.Server.HealthProbes != nil {
			return "http://" + configuration.Server.HealthProbes.Address() + "/healthz"
		}
		return "http://" + m.a.ports.local(role) + "/healthz"
	case "gardener-scheduler":
		return "http://" + m.a.ports.local(role) + "/healthz"
	case roleGardenlet:
		configuration, err := m.a.gardenletConfiguration("")
		if err != nil || configuration.Server.HTTPS == nil {
			return "" // the part itself will say what is wrong
		}
		return "https://" + configuration.Server.HTTPS.Address() + "/healthz"
	default:
		return ""
	}
}

func (m *managers) runCaches(ctx context.Context) error {
	seedConfig, err := m.seed.config()
	if err != nil {
		return err
	}
	seed, err := m.a.newCluster(m.part("seed"), seedConfig, install.AddSeed)
	if err != nil {
		return err
	}
	garden, run := m.garden, []cluster.Cluster{seed}
	if garden == nil {
		config := m.a.gardenAs("appliance", m.a.bundle.Garden.Appliance).Config()
		if garden, err = m.a.newCluster("garden", config, install.AddGarden); err != nil {
			return err
		}
		run = append(run, garden)
	}
	m.shared.Store(&clusters{garden, seed})
	defer m.shared.Store(nil)
	return runAll(ctx, run...)
}

func (m *managers) cachesReady(ctx context.Context) error {
	shared := m.shared.Load()
	if shared == nil {
		return errors.New("clients are not made yet")
	}
	return synced(ctx, shared.garden, shared.seed)
}

// role is a component that runs the managers that build makes.
func (m *managers) role(name string, build func(clusters) ([]manager.Manager, error)) component.Component {
	var running atomic.Pointer[[]manager.Manager]
	return component.NewLoop(name, func(ctx context.Context) error {
		shared := m.shared.Load()
		if shared == nil {
			return errors.New("the caches do not run")
		}
		built, err := build(*shared)
		if err != nil {
			return err
		}
		running.Store(&built)
		defer running.Store(nil)
		return runAll(ctx, built...)
	}, func(ctx context.Context) error {
		built := running.Load()
		if built == nil {
			return errors.New("managers are not made yet")
		}
		return synced(ctx, *built...)
	})
}

// synced asks caches for a moment whether they are filled.
func synced[C cluster.Cluster](ctx context.Context, all ...C) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for _, one := range all {
		if !one.GetCache().WaitForCacheSync(ctx) {
			return errors.New("caches are not filled yet")
		}
	}
	return nil
}

func (m *managers) controllerManager(shared clusters) ([]manager.Manager, error) {
	const name = "gardener-controller-manager"
	configuration, err := m.a.controllerManagerConfiguration()
	if err != nil {
		return nil, err
	}
	log := withLevel(m.a.Log.WithName(name), configuration.LogLevel)
	options := managerOptions{Log: &log, HealthAddress: m.a.ports.local(name)}
	if probes := configuration.Server.HealthProbes; probes != nil {
		options.HealthAddress = probes.Address()
	}
	if metrics := configuration.Server.Metrics; metrics != nil {
		options.MetricsAddr = metrics.Address()
	}
	if limits := configuration.GardenClientConnection; limits.QPS > 0 {
		options.Config = rest.CopyConfig(shared.garden.GetConfig())
		options.Config.QPS, options.Config.Burst = limits.QPS, int(limits.Burst)
	}
	mgr, err := m.a.newManager(name, shared.garden, options)
	if err != nil {
		return nil, err
	}
	if err := controllermanager.AddToManager(mgr, controllermanager.Config{Configuration: configuration}); err != nil {
		return nil, fmt.Errorf("add controller manager: %w", err)
	}
	return []manager.Manager{mgr}, nil
}

func (m *managers) scheduler(shared clusters) ([]manager.Manager, error) {
	const name = "gardener-scheduler"
	mgr, err := m.a.newManager(name, shared.garden, managerOptions{HealthAddress: m.a.ports.local(name)})
	if err != nil {
		return nil, err
	}
	if err := scheduler.AddToManager(mgr, scheduler.Config{}); err != nil {
		return nil, fmt.Errorf("add scheduler: %w", err)
	}
	return []manager.Manager{mgr}, nil
}

// gardenlet acts in the garden as the user of its seed, by the certificate whose end its Seed tells.
func (m *managers) gardenlet(shared clusters) ([]manager.Manager, error) {
	a, name := m.a, m.part(roleGardenlet)
	configuration, err := m.seed.gardenlet()
	if err != nil {
		return nil, err
	}
	user, err := m.seed.user()
	if err != nil {
		return nil, err
	}
	log := withLevel(a.Log.WithName(name), configuration.LogLevel)
	options := managerOptions{Log: &log, Config: a.gardenAs(name, user).Config()}
	options.Config.QPS, options.Config.Burst = configuration.GardenClientConnection.QPS, int(configuration.GardenClientConnection.Burst)
	if metrics := configuration.Server.Metrics; metrics != nil {
		options.MetricsAddr = metrics.Address()
	}
	gardenManager, err := a.newManager(name, shared.garden, options)
	if err != nil {
		return nil, err
	}
	options = managerOptions{Log: &log, Config: rest.CopyConfig(shared.seed.GetConfig())}
	options.Config.QPS, options.Config.Burst = configuration.SeedClientConnection.QPS, int(configuration.SeedClientConnection.Burst)
	seedManager, err := a.newManager(name, shared.seed, options)
	if err != nil {
		return nil, err
	}
	cfg := gardenlet.Config{
		Configuration: configuration, Identity: a.gardenletIdentity(m.seed.name()), ClientCertificateFile: user.Cert,
		Access: exposure.Access{FrontDoorPort: int(a.ports["front-door"]), FrontDoorAddress: a.Config.FrontDoor.Address},
	}
	m.seed.adapt(&cfg)
	if err := gardenlet.AddToManager(gardenManager, seedManager, cfg); err != nil {
		return nil, fmt.Errorf("add gardenlet: %w", err)
	}
	return []manager.Manager{gardenManager, seedManager}, nil
}

// operators are the resource manager of the seed, druid and the provider; beside the first seed, which is the runtime
// cluster, that of the garden, too.
func (m *managers) operators(shared clusters) ([]manager.Manager, error) {
	seedManager, err := m.a.newManager(m.part(roleOperators), shared.seed, managerOptions{})
	if err != nil {
		return nil, err
	}
	all := []manager.Manager{seedManager}
	if m.garden == nil {
		gardenManager, err := m.a.newManager("garden-operators", shared.garden, managerOptions{})
		if err != nil {
			return nil, err
		}
		if err := addGardenResourceManager(gardenManager, seedManager); err != nil {
			return nil, err
		}
		all = append(all, gardenManager)
	}
	if m.seed.callsBack() {
		if err := addSeedResourceManager(seedManager); err != nil {
			return nil, err
		}
	}
	if err := druid.AddToManager(seedManager, druid.Config{}); err != nil {
		return nil, fmt.Errorf("add druid: %w", err)
	}
	return all, m.seed.addProvider(seedManager)
}
