package seeds

import (
	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/gardenlets"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/seeds/names"
	"github.com/gardener-up/gardener-up/appliance/shootdoors"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// Inputs are what a List needs to know of a landscape.
type Inputs struct {
	Landscape  string            // its name
	ID         string            // identifies the landscape in the status of Seeds that it serves
	First      string            // name of the first seed, which is not a remote seed
	Image      string            // of this binary in a registry; empty if the configuration names none
	NodeImages map[string]string // of machines in containers, by version of Kubernetes
	Paths      paths.Paths
	Store      *store.Store
	Zone       names.Zone
	NameServer string // host:port of the one that serves Zone
	GardenAt   string // host:port of the front door of the garden
	Log        logr.Logger
	Gardenlets gardenlets.Source
	Doors      *shootdoors.Doors      // of shoots on seeds of this machine; nil for none
	Observe    func(component.Status) // receives the status of parts
}
