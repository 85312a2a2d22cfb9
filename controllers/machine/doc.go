// Package machine is the machine controller: MachineDeployments keep MachineSets, MachineSets keep Machines, and Machines are
// made by a driver and looked after until they are gone. The objects live in a namespace of the control cluster (a seed),
// the nodes in the target cluster (a shoot). It also runs alone, as the component machine-controller-manager.
//
// Not part of it yet: updates in place, preserving failed machines, adopting objects without an owner, and waiting for
// volumes to be detached while draining.
package machine
