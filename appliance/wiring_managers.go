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
	"github.com/gardener-up/gardener-up/controllers/scheduler"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// managers runs the controllers of garden and seed, each role in managers of its own. All read through the same caches.
type managers struct {
	a      *appliance
	seed   seed
	shared atomic.Pointer[clusters]
}

// clusters are what controllers act on.
type clusters struct{ garden, seed cluster.Cluster }

// roles are the counterparts of Gardener's components, and what looks after the seed's own objects.
func (m *managers) roles() []component.Component {
	return []component.Component{
		m.role("gardener-controller-manager", m.controllerManager),
		m.role("gardener-scheduler", m.scheduler),
		m.role("gardenlet", m.gardenlet),
		m.role("seed-operators", m.operators),
	}
}

// health is where a role serves its health unless the user's configuration says otherwise.
func (m *managers) health(role string) string {
	switch role {
	case "gardener-controller-manager", "gardener-scheduler":
		return "http://" + m.a.ports.local(role) + "/healthz"
	case "gardenlet":
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
	gardenScheme, err := schemeOf(install.AddGarden)
	if err != nil {
		return err
	}
	seedScheme, err := schemeOf(install.AddSeed)
	if err != nil {
		return err
	}
	garden, err := m.a.newCluster("garden", m.a.gardenAs("appliance", m.a.bundle.Garden.Appliance).Config(), gardenScheme)
	if err != nil {
		return err
	}
	seedConfig, err := m.seed.config()
	if err != nil {
		return err
	}
	seed, err := m.a.newCluster("seed", seedConfig, seedScheme)
	if err != nil {
		return err
	}
	m.shared.Store(&clusters{garden, seed})
	defer m.shared.Store(nil)
	return runAll(ctx, garden, seed)
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
	mgr, err := m.a.newManager(name, shared.garden, managerOptions{HealthAddress: m.a.ports.local(name)})
	if err != nil {
		return nil, err
	}
	if err := controllermanager.AddToManager(mgr, controllermanager.Config{}); err != nil {
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
	a := m.a
	nodes, err := m.seed.nodes()
	if err != nil {
		return nil, err
	}
	configuration, err := a.gardenletConfiguration(nodes)
	if err != nil {
		return nil, err
	}
	log := withLevel(a.Log.WithName("gardenlet"), configuration.LogLevel)
	options := managerOptions{Log: &log, Config: a.gardenAs("gardenlet", a.bundle.Gardenlet).Config()}
	options.Config.QPS, options.Config.Burst = configuration.GardenClientConnection.QPS, int(configuration.GardenClientConnection.Burst)
	if metrics := configuration.Server.Metrics; metrics != nil {
		options.MetricsAddr = metrics.Address()
	}
	gardenManager, err := a.newManager("gardenlet", shared.garden, options)
	if err != nil {
		return nil, err
	}
	options = managerOptions{Log: &log, Config: rest.CopyConfig(shared.seed.GetConfig())}
	options.Config.QPS, options.Config.Burst = configuration.SeedClientConnection.QPS, int(configuration.SeedClientConnection.Burst)
	seedManager, err := a.newManager("gardenlet", shared.seed, options)
	if err != nil {
		return nil, err
	}
	cfg := gardenlet.Config{
		Configuration: configuration, Identity: a.gardenletIdentity(), ClientCertificateFile: a.bundle.Gardenlet.Cert,
		FrontDoorPort: int(a.ports["front-door"]), FrontDoorAddress: a.Config.FrontDoor.Address,
	}
	m.seed.adapt(&cfg)
	if err := gardenlet.AddToManager(gardenManager, seedManager, cfg); err != nil {
		return nil, fmt.Errorf("add gardenlet: %w", err)
	}
	return []manager.Manager{gardenManager, seedManager}, nil
}

// operators are the resource managers of garden and seed, druid and the provider.
func (m *managers) operators(shared clusters) ([]manager.Manager, error) {
	gardenManager, err := m.a.newManager("garden-operators", shared.garden, managerOptions{})
	if err != nil {
		return nil, err
	}
	seedManager, err := m.a.newManager("seed-operators", shared.seed, managerOptions{})
	if err != nil {
		return nil, err
	}
	if err := addResourceManagers(gardenManager, seedManager, m.seed.callsBack()); err != nil {
		return nil, err
	}
	if err := druid.AddToManager(seedManager, druid.Config{}); err != nil {
		return nil, fmt.Errorf("add druid: %w", err)
	}
	return []manager.Manager{gardenManager, seedManager}, m.seed.addProvider(seedManager)
}
