// Package machine is what a provider implements to have machines: a Driver, which the machine controller calls. The
// driver knows nothing about nodes, draining, timeouts or rolling updates; those are the controller's business.
// Controllers, providers and tests may import it.
package machine

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// Driver makes machines and removes them. Its methods are called from several goroutines at once, but never for the
// same Machine at once. They may block for minutes, until their context ends. Any call may be the first after the
// process was killed in the middle of a former one, so each begins with what exists. Errors carry a Code.
type Driver interface {
	// Create makes the machine, or finishes making it, and returns it without waiting for its node. It is
	// called again after an error and after success alike; there is never more than one machine per Machine.
	Create(ctx context.Context, request Request) (Instance, error)
	// Start brings back a machine that exists and that Status reports as stopped. Machines that never stop by themselves
	// make it a no-op.
	Start(ctx context.Context, request Request) error
	// Status returns the machine, or an error with the code NotFound. It is called often and is cheap.
	Status(ctx context.Context, request Request) (Instance, error)
	// Delete removes the machine and all that Create made for it, and returns when it is gone. The machine need not exist.
	Delete(ctx context.Context, request Request) error
	// List returns the machines that exist for the class: providerID to name of the Machine. The controller removes
	// those whose Machine is gone; the Machine of the Request is nil.
	List(ctx context.Context, request Request) (map[string]string, error)
}

// Request is what a driver gets to know. It is the driver's to read, not to change.
type Request struct {
	// Machine is the object in the control cluster.
	Machine *machinev1alpha1.Machine
	// Class is the MachineClass of the Machine.
	Class *machinev1alpha1.MachineClass
	// Secret is the data of the secrets of the class: provider credentials, and under UserDataKey what the machine runs at first.
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
	// Stopped tells that the machine exists, but does not run.
	Stopped bool
	// Addresses of the machine, if they are known.
	Addresses []corev1.NodeAddress
	// LastKnownState is kept in the Machine's status for the driver to remember things in.
	LastKnownState string
}
