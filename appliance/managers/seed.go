// Package managers runs the controllers of a landscape. Each role (gardenlet, operators, …) is a part with managers of its
// own and may be stopped and started alone. All managers of a cluster read through one cache. There is no leader election,
// since one process runs all managers. The package does not know how a seed is made and reached: the interface Seed states
// what managers need from a seed.
package managers

import (
	"encoding/json"
	"net/netip"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/gardenlets"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	shootetcd "github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/etcd"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/providers/ownership"
)

// Seed is a cluster that hosts shoots, as its controllers see it.
type Seed interface {
	// Name is the name of the Seed object.
	Name() string
	// Config is the client configuration of an administrator of the cluster. It is asked for once the API server of the
	// cluster serves.
	Config() (*rest.Config, error)
	// Gardenlet is the configuration of the seed's gardenlet. It is asked for once the API server of the cluster serves.
	Gardenlet() (*config.GardenletConfiguration, error)
	// CallsBack reports whether the seed's API server can call webhooks at the loopback address of this process.
	CallsBack() bool
	// Calls is how the seed's API server calls a server of webhooks of this process, which is one of the names in package component/callback.
	Calls(server string) webhook.Way
	// OwnerServer is host:port of the name server that etcds of the seed ask for owners of shoots over TCP, and that may rest while they go on. If it
	// is empty, they ask those of their pods.
	OwnerServer() string
	// Pods signs the pods of the seed's components; nil if its nodes run containers.
	Pods() *podsignature.Signer
	// Backups is the directory of the backup buckets of provider local on the seed's nodes; empty if the nodes do not have it.
	Backups() string
	// Adapt changes how the gardenlet reaches shoots.
	Adapt(*gardenlet.Config)
	// AddProvider adds the controllers of the provider that makes the nodes of shoots.
	AddProvider(manager.Manager) error
}

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
	ShootDoors   func() ([]netip.AddrPort, error)
	GardenHost   string             // name of the garden's API server at the front door
	GardenCA     string             // file with the authorities that sign for that name
	MetricsURL   string             // where metrics are read
	BackupAccess shootetcd.Access   // to the buckets of other seeds
	Resolver     ownership.Resolver // of the names of shoots
}
