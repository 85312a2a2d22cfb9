// Package autoscaler adds machines to a cluster when pods fit on no node, and removes machines that no pod needs. It does the
// work of the public cluster-autoscaler with the provider of machine-controller-manager, as far as shoots of Gardener configure
// it. It is a pod of a shoot's control plane. It reads pods and nodes of the shoot, and changes the sizes of MachineDeployments
// in its own namespace. The machine-controller-manager makes and removes the machines, the marked ones first.
//
// Every round reads the current state and decides anew. What a round remembers, for example since when a node has been
// unneeded, only delays later rounds and may be lost at any time. The packages below make the decisions, as pure functions.
package autoscaler
