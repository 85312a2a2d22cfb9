package operatorhost

import (
	"context"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/tokenkeys"
)

// Inputs are what the controllers of a Garden need of its landscape.
type Inputs struct {
	Landscape string // its name
	ID        string // of the state directory
	Version   string // of the appliance
	Access    servers.Access
	Door      servers.Door
	Paths     paths.Paths
	Log       logr.Logger
	PKI       *pki.PKI
	// WriteKubeconfigs writes those of the garden, with its present authorities.
	WriteKubeconfigs func() error
	// NoteRotation is called with each key of a rotation; see pki.Rotation.
	NoteRotation func(file string, fingerprints ...string) error
	// TokenKeys are those of service accounts in the garden.
	TokenKeys *tokenkeys.Keys
	// Snapshot makes a full snapshot of the garden's etcd.
	Snapshot func(context.Context) error
	// Parts of the landscape. Controllers ask for them once they are listed.
	Parts *Parts
}
