package managers

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/gardenlets"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/loglevel"
)

// gardenlet acts in the garden as the user of its seed, for its caches, too. It shares nothing of the garden with others.
func (r *roles) gardenlet(ctx context.Context, shared clusters) ([]manager.Manager, error) {
	name := r.part(Gardenlet)
	configuration, err := r.seed.Gardenlet()
	if err != nil {
		return nil, err
	}
	logger := loglevel.Limit(r.Log.WithName(name), configuration.LogLevel)
	seed := options{Log: logger, Config: rest.CopyConfig(shared.seed.GetConfig())}
	seed.Config.QPS, seed.Config.Burst = configuration.SeedClientConnection.QPS, int(configuration.SeedClientConnection.Burst)
	seedManager, err := newManager(name, shared.seed, seed)
	if err != nil {
		return nil, err
	}
	garden, credentials, err := r.gardenAccess(log.IntoContext(ctx, logger), shared, configuration)
	if err != nil {
		return nil, err
	}
	gardenManager, err := r.gardenOfGardenlet(name, shared, options{Log: logger, Config: garden}, configuration)
	if err != nil {
		return nil, err
	}
	address, err := r.gardenAtFrontDoor().Now()
	if err != nil {
		return nil, err
	}
	cfg := gardenlet.Config{
		Seed: seedManager, Image: r.Image, Pods: r.seed.Pods(), Configuration: configuration, Identity: r.Gardenlets.User(r.seed.Name()), Credentials: credentials,
		Garden: &address, Resolver: r.Resolver,
		RuntimeCluster: r.runtimeCluster, Leave: r.leave,
		Access: exposure.Access{FrontDoorPort: r.FrontDoor.Port, FrontDoorAddress: r.FrontDoor.Address},
	}
	if r.seed.Backups() != "" {
		cfg.BackupAccess = r.BackupAccess
	}
	for _, network := range r.PrivateNetworks {
		cfg.Access.PrivateNetworks = append(cfg.Access.PrivateNetworks, network.String())
	}
	cfg.Access.MetricsURL = r.MetricsURL
	r.seed.Adapt(&cfg)
	if err := gardenlet.AddToManager(gardenManager, cfg); err != nil {
		return nil, fmt.Errorf("add gardenlet: %w", err)
	}
	return []manager.Manager{gardenManager, seedManager}, nil
}

// gardenAtFrontDoor is where gardenlets outside of this process find the garden.
func (r *roles) gardenAtFrontDoor() bootstrap.Garden {
	return bootstrap.Garden{
		Server:     "https://" + net.JoinHostPort(r.FrontDoor.Address, strconv.Itoa(r.FrontDoor.Port)),
		ServerName: r.GardenHostname, Latest: func() ([]byte, error) { return os.ReadFile(r.GardenCA) },
	}
}

// gardenAccess is the gardenlet's own access to the garden. The credentials are nil if the user of the landscape gave a
// kubeconfig and looks after it.
func (r *roles) gardenAccess(ctx context.Context, shared clusters, configuration *config.GardenletConfiguration) (*rest.Config, gardenlet.Credentials, error) {
	connection := configuration.GardenClientConnection
	seedClient, err := client.New(shared.seed.GetConfig(), uncached(shared.seed))
	if err != nil {
		return nil, nil, err
	}
	gardenClient, err := client.New(shared.garden.GetConfig(), uncached(shared.garden))
	if err != nil {
		return nil, nil, err
	}
	where, err := gardenlets.Address(shared.garden.GetConfig())
	if err != nil {
		return nil, nil, err
	}
	invitation := gardenlets.Invitation{Seed: r.seed.Name(), Garden: gardenClient, SeedClient: seedClient, Address: where, Connection: connection, Clock: clock.RealClock{}}
	garden, access, err := bootstrap.Connect(ctx, bootstrap.Inputs{
		Name: r.seed.Name(), Seed: seedClient, Connection: connection, Clock: clock.RealClock{}, Garden: &where, Invite: invitation.Write,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("access of the gardenlet to the garden: %w", err)
	}
	if access == nil {
		return garden, nil, nil
	}
	return garden, access, nil
}

func uncached(c cluster.Cluster) client.Options {
	return client.Options{HTTPClient: c.GetHTTPClient(), Scheme: c.GetScheme(), Mapper: c.GetRESTMapper()}
}

// gardenOfGardenlet has a cache of its own, filled with what the gardenlet may see.
func (r *roles) gardenOfGardenlet(name string, shared clusters, o options, configuration *config.GardenletConfiguration) (manager.Manager, error) {
	o.Config.UserAgent = name
	o.Config.QPS, o.Config.Burst = configuration.GardenClientConnection.QPS, int(configuration.GardenClientConnection.Burst)
	if metrics := configuration.Server.Metrics; metrics != nil {
		o.MetricsAddr = metrics.Address()
	}
	settings := o.settings(shared.garden.GetScheme())
	settings.Cache = gardenlet.GardenCache(r.seed.Name())
	settings.Client = client.Options{Cache: &client.CacheOptions{DisableFor: gardenlet.GardenUncached()}}
	mgr, err := manager.New(o.Config, settings)
	if err != nil {
		return nil, fmt.Errorf("make manager %q: %w", name, err)
	}
	return mgr, withChecks(mgr)
}
