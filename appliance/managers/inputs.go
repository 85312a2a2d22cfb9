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

// Inputs are what managers need of a landscape.
type Inputs struct {
	Image             string // the appliance image
	Log               logr.Logger
	Ports             state.Ports     // for the health endpoints of the garden's roles
	GardenConfig      *rest.Config    // for an administrator of the garden
	ControllerManager json.RawMessage // the user's configuration; may be empty
	Scheduler         json.RawMessage // the user's configuration; may be empty
	Gardenlets        gardenlets.Source
	Garden            Garden
	GardenOperator    json.RawMessage // the user's configuration; may be empty
	// Admission is how the API servers of the garden reach the admission controller. Its configuration is that of
	// AdmissionController.
	Admission           admissioncontroller.Config
	AdmissionController json.RawMessage // the user's configuration; may be empty
	// InternalDomain is the one whose names the landscape serves.
	InternalDomain string
	// PrivateNetworks are the private networks in which servers that tenants name may be.
	PrivateNetworks  []netip.Prefix
	FrontDoorAddress string // of shoots, without the port
	FrontDoorPort    int
	// ShootDoors are the addresses of shoots beside the front door.
	ShootDoors     func() ([]netip.AddrPort, error)
	GardenHostname string             // name of the garden's API server at the front door
	GardenCA       string             // file with the authorities that sign for that name
	MetricsURL     string             // where metrics are read
	BackupAccess   shootetcd.Access   // to the buckets of other seeds
	Resolver       ownership.Resolver // of the names of shoots
}

// Garden is what the operator needs to know of the landscape.
type Garden struct {
	// Values of the Garden, without those about the runtime cluster.
	Values gardens.Values
	// Host describes this process. resourceManager is that of the runtime cluster if it is a Deployment there; nil if this process is it.
	Host func(resourceManager *host.Component) (host.Host, error)
}
