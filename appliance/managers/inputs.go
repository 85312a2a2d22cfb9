package managers

import (
	"encoding/json"
	"net/netip"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/appliance/gardenlets"
	"github.com/gardener-up/gardener-up/appliance/gardens"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller"
	shootetcd "github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/etcd"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	"github.com/gardener-up/gardener-up/providers/ownership"
)

// Inputs are what the managers of the garden and of the first seed need of a landscape.
type Inputs struct {
	GardenConfig *rest.Config // for an administrator of the garden
	Seeds        SeedInputs
	Roles        GardenInputs
	Operator     OperatorInputs
}

// SeedInputs are what the managers of every seed need of a landscape.
type SeedInputs struct {
	Log             logr.Logger
	Image           string // the appliance image
	Gardenlets      gardenlets.Source
	FrontDoor       FrontDoor
	GardenHostname  string             // name of the garden's API server at the front door
	GardenCA        string             // file with the authorities that sign for that name
	InternalDomain  string             // whose names the landscape serves
	PrivateNetworks []netip.Prefix     // in which servers that tenants name may be
	MetricsURL      string             // where metrics are read
	BackupAccess    shootetcd.Access   // to the buckets of other seeds
	Resolver        ownership.Resolver // of the names of shoots
}

// GardenInputs are what the roles that act for the garden alone need of a landscape. The configurations are the user's and may be empty.
type GardenInputs struct {
	Log                 logr.Logger
	Ports               state.Ports // for the health endpoints
	ControllerManager   json.RawMessage
	Scheduler           json.RawMessage
	AdmissionController json.RawMessage
	// Admission is how the API servers of the garden reach the admission controller. Its configuration is that of AdmissionController.
	Admission       admissioncontroller.Config
	PrivateNetworks []netip.Prefix // in which servers that tenants name may be
	FrontDoor       FrontDoor
	ShootDoors      func() ([]netip.AddrPort, error) // the addresses of shoots beside the front door
}

// FrontDoor is where shoots and the garden are reached.
type FrontDoor struct {
	Address string // without the port
	Port    int
}

// OperatorInputs are what gardener-operator needs of a landscape.
type OperatorInputs struct {
	Configuration json.RawMessage // the user's; may be empty
	Garden        Garden
}

// Garden is what the operator needs to know of the landscape.
type Garden struct {
	// Values of the Garden, without those about the runtime cluster.
	Values gardens.Values
	// Host describes this process. resourceManager is that of the runtime cluster if it is a Deployment there; nil if this process is it.
	Host func(resourceManager *host.Component) (host.Host, error)
}
