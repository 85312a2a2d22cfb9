package worker

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/local/api"
)

// Actuator keeps machine objects in the Shoot's namespace.
type Actuator struct {
	// Client of the seed.
	Client client.Client
	// Reader of the seed without a cache, because the user data is written right before the Worker.
	Reader client.Reader
	// Clock tells the time for the status.
	Clock func() time.Time
	// Machines selects what machines are; pods if empty.
	Machines api.MachineRuntime
	// NodeImage returns the image of container machines, for a machine image of the CloudProfile and a Kubernetes
	// version. It is required for container machines.
	NodeImage func(machineImage, version, kubernetesVersion string) string
	// Image is the appliance image. Machine pods use it.
	Image string
	// Pods signs machine pods; nil signs none.
	Pods *podsignature.Signer
	// NoMachines says why this seed cannot have machines; empty if it can.
	NoMachines string
}
