// Package machine contains the interface that a provider implements to offer machines: Driver, which the machine
// controller calls. The controller handles nodes, draining, timeouts and rolling updates; drivers know nothing about
// them. Controllers, providers and tests may import it.
package machine

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// Driver makes machines and removes them. Its methods are called from several goroutines, but never twice at once
// for the same Machine. They may block for minutes, until their context ends. Any call may be the first after the
// process was killed during an earlier one, so each call starts from what exists. Errors carry a Code.
type Driver interface {
	// Create makes the machine, or finishes making it, and returns it without waiting for its node. It is called again
	// after errors and after success. There is never more than one machine per Machine.
	Create(ctx context.Context, request Request) (Instance, error)
	// Start starts a machine that Status reports as stopped. For machines that never stop by themselves it is a no-op.
	Start(ctx context.Context, request Request) error
	// Status returns the machine, or an error with the code NotFound. It is called often and is cheap.
	Status(ctx context.Context, request Request) (Instance, error)
	// Delete removes the machine and all that Create made for it, and returns when the machine is gone. The machine
	// need not exist.
	Delete(ctx context.Context, request Request) error
	// List returns the existing machines of the class as a map from providerID to the name of the Machine. The
	// controller removes machines whose Machine is gone. The Machine of the Request is nil.
	List(ctx context.Context, request Request) (map[string]string, error)
}

// Updater is a Driver that updates machines where they are. The controller has drained the node before. Machines of other drivers
// update themselves when the condition InPlaceUpdate of their Node says so, and report by a label of the Node.
type Updater interface {
	// Update gives the machine the content of the class of the Request, which is another one than that of the Machine. It is called
	// until it returns true: the machine has the content and runs. It returns ErrSelf if the machine updates itself.
	Update(ctx context.Context, request Request) (done bool, err error)
}

// ErrSelf is returned by an Updater for a machine that updates itself.
var ErrSelf = errors.New("the machine updates itself")

// Request contains everything a driver is told. The driver must not change it.
type Request struct {
	// Machine is the object in the control cluster.
	Machine *machinev1alpha1.Machine
	// Class is the MachineClass of the Machine.
	Class *machinev1alpha1.MachineClass
	// Secret is the data of the class's secrets: provider credentials, and under UserDataKey the user data.
	Secret map[string][]byte
}

// UserDataKey is the key in Request.Secret of the script or document that the machine runs when it boots.
const UserDataKey = "userData"

// Instance is a machine as the provider knows it.
type Instance struct {
	// ProviderID is the provider's name for the machine, unique and constant, as in the spec of the Node.
	ProviderID string
	// NodeName is the name under which the machine registers as a Node.
	NodeName string
	// Stopped means that the machine exists, but does not run.
	Stopped bool
	// Addresses of the machine, if they are known.
	Addresses []corev1.NodeAddress
	// LastKnownState is stored in the Machine's status for the driver's own use.
	LastKnownState string
}
