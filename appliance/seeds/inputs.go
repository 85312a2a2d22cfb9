package seeds

import (
	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/gardenlets"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/embedded/dns"
)

// Inputs are what serving remote seeds needs of a landscape.
type Inputs struct {
	Landscape  string            // its name
	ID         string            // by which Seeds know who serves them
	First      string            // name of the first seed, which is no remote seed
	Image      string            // of this binary in a registry; empty if there is none
	NodeImages map[string]string // of machines in containers, by version of Kubernetes
	Paths      paths.Paths
	Store      *store.Store
	Zone       *dns.Zone
	Log        logr.Logger
	Gardenlets gardenlets.Source
	Observe    func(component.Status) // is told about parts
}
