package appliance

import (
	"context"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/embedded/dns"
)

// seed is a cluster that hosts shoots, as the controllers that act for it see it. They do not know what it is made of.
type seed interface {
	// name is that of the Seed.
	name() string
	// config is that of an administrator of the cluster. It is asked for when the cluster serves.
	config() (*rest.Config, error)
	// gardenlet is the configuration of the seed's gardenlet, user the one it acts as in the garden; likewise.
	gardenlet() (*config.GardenletConfiguration, error)
	user() (pki.Pair, error)
	// callsBack tells whether the API server reaches this process at its loopback address.
	callsBack() bool
	// adapt changes how the gardenlet reaches shoots.
	adapt(*gardenlet.Config)
	// addProvider adds the provider of the nodes.
	addProvider(manager.Manager) error
}

// seedServing is the name of the part that is ready when the first seed's API server serves.
const seedServing = "seed-apiserver"

// runtimeCluster is the first seed, which the landscape brings up itself before the garden knows of it.
type runtimeCluster interface {
	seed
	// parts make the cluster and the ways to it. One of them is called seedServing, another one front-door.
	parts() ([]component.Part, error)
	// before are those that controllers need beside the API server, beside those without which the seed is not ready.
	before() []string
	beside() []string
}

func (a *appliance) runtimeCluster(ctx context.Context, zone *dns.Zone) (runtimeCluster, error) {
	if a.Config.Seed.Kind() {
		return newKindSeed(ctx, a, zone)
	}
	return embeddedSeed{a, zone}, nil
}
