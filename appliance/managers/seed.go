// Package managers runs the controllers of a landscape. Each role (gardenlet, operators, …) is a part with managers of its
// own and may be stopped and started alone. All managers of a cluster read through one cache. There is no leader election,
// since one process runs all managers. The package does not know how a seed is made and reached: the interface Seed states
// what managers need from a seed.
package managers

import (
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/embedded/webhook"
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
