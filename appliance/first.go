package appliance

import (
	"context"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/managers"
	"github.com/gardener-up/gardener-up/appliance/seeds/embedded"
	"github.com/gardener-up/gardener-up/appliance/seeds/kind"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/local/containers"
)

// firstSeed is the runtime cluster. The landscape brings it up before the garden has its Seed.
type firstSeed interface {
	managers.Seed
	// Parts make the cluster and the network to it. One part is named servers.SeedAPIServer, another one servers.FrontDoor.
	Parts() ([]component.Part, error)
	// Before are parts that controllers need in addition to the API server. Beside are parts that the seed needs to be
	// ready.
	Before() []string
	Beside() []string
	// Ranges are the ranges of loopback addresses that pods and Services have.
	Ranges() []string
	// Engine finds the container engine of the landscape and notes it in the store. EngineName is empty if the seed needs no
	// engine.
	Engine(context.Context) (*containers.Engine, error)
	EngineName() string
}

// provider holds what differs between the providers of the first seed.
type provider struct {
	published        []string // listeners that a container engine publishes
	etcds            []string // names of the etcds in the landscape's process
	writeKubeconfigs func(servers.Inputs) error
	first            func(context.Context, embedded.Inputs, config.Seed) (firstSeed, error)
}

var providers = map[string]provider{
	config.ProviderEmbedded: {
		etcds:            []string{servers.EtcdSeed, servers.EtcdGarden},
		writeKubeconfigs: servers.Inputs.WriteSeedKubeconfigs,
		first: func(_ context.Context, in embedded.Inputs, _ config.Seed) (firstSeed, error) {
			return embedded.NewFirst(in), nil
		},
	},
	config.ProviderKind: {
		published:        kind.Published(),
		etcds:            []string{servers.EtcdGarden},
		writeKubeconfigs: func(servers.Inputs) error { return nil }, // kind writes them
		first: func(ctx context.Context, in embedded.Inputs, seed config.Seed) (firstSeed, error) {
			return kind.NewFirst(ctx, kind.FirstInputs{
				Inputs: in.Inputs, Seed: seed, Store: in.Store, Zone: in.Zone, Gardenlets: in.Gardenlets, Others: in.Others, Doors: in.Doors,
			})
		},
	},
}
