package monitoring

import (
	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/managers"
	"github.com/gardener-up/gardener-up/appliance/pki"
)

// Inputs of the server.
type Inputs struct {
	Name      string // of the part
	Landscape string
	Address   string   // host:port to listen at
	Server    pki.Pair // its certificate
	Log       logr.Logger
	// GardenConfig is that of an administrator of the garden; Garden is a client without a cache.
	GardenConfig *rest.Config
	Garden       func() (client.Client, error)
	// Seeds are the seeds that this process serves. First is the name of the one that runs in this process, if one does.
	Seeds func() []managers.Seed
	First string
	// Runtime is the cluster with the Garden, whose operator keeps a password for metrics there.
	Runtime func() (*rest.Config, error)
	// Parts are those of the landscape.
	Parts func() []component.Status
}
