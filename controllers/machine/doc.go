// Package machine is the machine controller. MachineDeployments keep MachineSets, and MachineSets keep Machines. A driver makes the
// machine of each Machine, and the controller maintains it until it is gone. The objects live in a namespace of the control cluster
// (a seed), the nodes in the target cluster (a shoot). The controller also runs alone, as the component machine-controller-manager.
//
// Not part of it yet: preserving failed machines, adopting objects without an owner, and waiting for volumes to be
// detached while draining.
package machine
