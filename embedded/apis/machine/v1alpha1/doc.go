// Package v1alpha1 holds the kinds of the group machine.sapcloud.io: a MachineDeployment keeps MachineSets, a
// MachineSet keeps Machines, and each Machine is one node made by a driver according to a MachineClass.
// It is the contract between those who want nodes (the Worker controllers of providers) and the machine
// controller. It holds types and constants only; anyone may import it.
//
// +kubebuilder:object:generate=true
// +groupName=machine.sapcloud.io
package v1alpha1
