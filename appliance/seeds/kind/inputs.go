package kind

import (
	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/gardenlets"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/seeds/names"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/appliance/shootdoors"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
)

// Listeners of a kind seed that its container publishes on 127.0.0.1.
const (
	apiServerPort = "kind-apiserver"
	frontDoorPort = "kind-front-door"
	gatewayPort   = "kind-gateway" // for connections with a PROXY header
)

// Published are the listeners that the container of a kind seed publishes.
func Published() []string { return []string{apiServerPort, frontDoorPort, gatewayPort} }

// FirstInputs are what a first seed on kind needs to know of its landscape.
type FirstInputs struct {
	Landscape  string // its name
	Image      string // the appliance image
	Ports      state.Ports
	Door       servers.Door
	Domains    []string // of shoots
	Paths      paths.Paths
	Log        logr.Logger
	Seed       config.Seed // of the user
	Store      *store.Store
	Zone       names.Zone
	Gardenlets gardenlets.Source
	Others     frontdoor.RouteSource // of shoots on other seeds
	Doors      *shootdoors.Doors     // of shoots; nil for none
}
