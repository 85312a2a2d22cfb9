package own

import (
	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/gardenlets"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// Inherited is what the clusters of own seeds have of the configuration of their landscape.
type Inherited struct {
	Landscape, Domain, Image string
	Log                      config.Log
}

// Inputs are what own seeds need of a landscape.
type Inputs struct {
	Inherited   Inherited
	First       string                         // name of the first seed
	Listed      []config.FurtherSeed           // of the configuration
	Validate    func(config.FurtherSeed) error // whether one more fits the configuration
	Paths       paths.Paths
	Store       *store.Store
	Log         logr.Logger
	Gardenlets  gardenlets.Source
	NameServer  string   // host:port of the landscape's name server
	FirstRanges []string // of loopback addresses that pods and Services of the first seed have; none for a kind cluster
	Garden      func() (client.Client, error)
	Served      func(seed string) bool // whether all parts that serve the seed have been ready
	Observe     func(component.Status) // is told about parts
}
