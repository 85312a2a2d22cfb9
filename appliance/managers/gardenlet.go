package managers

import (
	"fmt"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/loglevel"
)

// gardenlet acts in the garden as the user of its seed. The status of the Seed contains the end of this user's certificate.
func (r *roles) gardenlet(shared clusters) ([]manager.Manager, error) {
	name := r.part(Gardenlet)
	configuration, err := r.seed.Gardenlet()
	if err != nil {
		return nil, err
	}
	user, err := r.seed.User()
	if err != nil {
		return nil, err
	}
	log := loglevel.Limit(r.Log.WithName(name), configuration.LogLevel)
	garden := options{Log: log, Config: r.GardenAs(name, user)}
	garden.Config.QPS, garden.Config.Burst = configuration.GardenClientConnection.QPS, int(configuration.GardenClientConnection.Burst)
	if metrics := configuration.Server.Metrics; metrics != nil {
		garden.MetricsAddr = metrics.Address()
	}
	gardenManager, err := newManager(name, shared.garden, garden)
	if err != nil {
		return nil, err
	}
	seed := options{Log: log, Config: rest.CopyConfig(shared.seed.GetConfig())}
	seed.Config.QPS, seed.Config.Burst = configuration.SeedClientConnection.QPS, int(configuration.SeedClientConnection.Burst)
	seedManager, err := newManager(name, shared.seed, seed)
	if err != nil {
		return nil, err
	}
	cfg := gardenlet.Config{
		Seed: seedManager, Pods: r.seed.Pods(), Configuration: configuration, Identity: r.Gardenlets.User(r.seed.Name()), ClientCertificateFile: user.Cert,
		Access: exposure.Access{FrontDoorPort: r.FrontDoorPort, FrontDoorAddress: r.FrontDoorAddress},
	}
	r.seed.Adapt(&cfg)
	if err := gardenlet.AddToManager(gardenManager, cfg); err != nil {
		return nil, fmt.Errorf("add gardenlet: %w", err)
	}
	return []manager.Manager{gardenManager, seedManager}, nil
}
