// Package first makes the first seed of a landscape. It holds what differs between the providers of that seed.
package first

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

// Seed is the runtime cluster. The landscape brings it up before the garden has its Seed.
type Seed interface {
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

// Provider holds what differs between the providers of the first seed.
type Provider struct {
	Published        []string // listeners that a container engine publishes
	Etcds            []string // names of the etcds in the landscape's process
	WriteKubeconfigs func(servers.Kubeconfigs) error
	New              func(context.Context, embedded.Inputs, config.Seed) (Seed, error)
}

// Providers by their names in the configuration.
var Providers = map[string]Provider{
	config.ProviderEmbedded: {
		Etcds:            []string{servers.EtcdSeed, servers.EtcdGarden},
		WriteKubeconfigs: servers.Kubeconfigs.WriteSeed,
		New: func(_ context.Context, in embedded.Inputs, _ config.Seed) (Seed, error) {
			return embedded.NewFirst(in), nil
		},
	},
	config.ProviderKind: {
		Published:        kind.Published(),
		Etcds:            []string{servers.EtcdGarden},
		WriteKubeconfigs: func(servers.Kubeconfigs) error { return nil }, // kind writes them
		New: func(ctx context.Context, in embedded.Inputs, seed config.Seed) (Seed, error) {
			return kind.NewFirst(ctx, kind.FirstInputs{
				Landscape: in.Landscape, Image: in.Network.Image, Ports: in.Network.Ports, Door: in.Network.Door, Domains: in.Domains,
				Paths: in.Network.Paths, Log: in.Network.Log, Seed: seed, Store: in.Store, Zone: in.Zone, Gardenlets: in.Gardenlets, Others: in.Others, Doors: in.Doors,
			})
		},
	},
}
