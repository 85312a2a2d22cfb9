package own

import (
	"context"
	"net/netip"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/gardenlets"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/local/containers"
)

// Inherited is the part of the landscape's configuration that also applies to the clusters of own seeds.
type Inherited struct {
	Landscape, Domain, Image string
	Log                      config.Log
	Storage                  config.Storage
	Containers               string // decided
	SimulateMissingImages    *bool
	RegistryMirrors          map[string][]string
	Tenants                  config.Tenants
}

// Inputs are what Seeds need to know of a landscape.
type Inputs struct {
	Inherited   Inherited
	First       string                         // name of the first seed
	Listed      []config.FurtherSeed           // of the configuration
	Validate    func(config.FurtherSeed) error // checks whether one more seed fits the configuration
	Paths       paths.Paths
	Store       *store.Store
	Log         logr.Logger
	Gardenlets  gardenlets.Source
	NameServer  string                         // host:port of the landscape's name server
	GardenAt    string                         // host:port of the front door of the garden
	FirstRanges []string                       // of loopback addresses of pods and Services of the first seed; none for a kind cluster
	Neighbours  func() ([]netip.Prefix, error) // ranges of other landscapes on this machine
	Listeners   func() ([]netip.Addr, error)   // addresses at which processes of this machine accept connections
	Garden      func() (client.Client, error)
	Served      func(seed string) bool // whether all parts that serve the seed have been ready
	// WithDefaults completes the description of a seed.
	WithDefaults func(config.FurtherSeed) config.FurtherSeed
	Ports        state.Ports // of the landscape
	// Engine finds the container engine for kind clusters.
	Engine  func(context.Context) (*containers.Engine, error)
	Observe func(component.Status) // receives the status of parts
}
