// Package managers runs the controllers of a landscape. Each role (gardenlet, operators, …) is a part with managers of its own,
// which stops and starts without the others. All managers of a cluster read through one cache. There is no leader election,
// since one process runs all managers. How a seed is made and reached is not known here: a Seed says what is needed of it.
package managers

import (
	"encoding/json"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/gardenlets"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
)

// Seed is a cluster that hosts shoots, as its controllers see it.
type Seed interface {
	// Name is that of the Seed object.
	Name() string
	// Config is that of an administrator of the cluster. It is asked for once the API server of the cluster serves.
	Config() (*rest.Config, error)
	// Gardenlet is the configuration of the seed's gardenlet, User the user that the gardenlet is in the garden. Both are
	// asked for once the API server of the cluster serves.
	Gardenlet() (*config.GardenletConfiguration, error)
	User() (pki.Pair, error)
	// CallsBack reports whether the seed's API server reaches this process at its loopback address.
	CallsBack() bool
	// Adapt changes how the gardenlet reaches shoots.
	Adapt(*gardenlet.Config)
	// AddProvider adds the provider of the nodes.
	AddProvider(manager.Manager) error
}

// Inputs are what managers need of a landscape.
type Inputs struct {
	Log               logr.Logger
	Ports             state.Ports                                   // at which roles of the garden serve their health
	GardenAs          func(name string, user pki.Pair) *rest.Config // reaches the garden as a user
	Appliance         pki.Pair                                      // the user of the garden's cache
	ControllerManager json.RawMessage                               // the user's configuration; may be empty
	Scheduler         json.RawMessage                               // the user's configuration; may be empty
	Gardenlets        gardenlets.Source
	FrontDoorAddress  string // of shoots, without the port
	FrontDoorPort     int
}
