package appliance

import (
	"context"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/embedded/dns"
)

// seedServing is the name of the part that is ready when the seed's API server serves.
const seedServing = "seed-apiserver"

// seed is the runtime cluster of a landscape, which is its first seed. What acts on it does not know what it is made of.
type seed interface {
	// parts make the cluster and the ways to it. One of them is called seedServing, another one front-door.
	parts() ([]component.Part, error)
	// before are those that controllers need beside the API server, beside those without which the seed is not ready.
	before() []string
	beside() []string
	// config is that of an administrator of the cluster. It is asked for when the cluster serves.
	config() (*rest.Config, error)
	// nodes is the range of the nodes' addresses; likewise.
	nodes() (string, error)
	// callsBack tells whether the API server reaches this process at its loopback address.
	callsBack() bool
	// adapt changes how the gardenlet reaches shoots.
	adapt(*gardenlet.Config)
	// addProvider adds the provider of the nodes.
	addProvider(manager.Manager) error
}

func (a *appliance) seed(ctx context.Context, zone *dns.Zone) (seed, error) {
	if a.Config.Seed.Kind() {
		return newKindSeed(ctx, a, zone)
	}
	return embeddedSeed{a, zone}, nil
}
