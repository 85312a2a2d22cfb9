// Package worker turns the pools of a Worker into machine objects. Each pool has, per zone, one MachineDeployment,
// one MachineClass and one Secret with the user data. The machine controller of the Shoot and its driver make the
// machines. This package only describes the desired machines and waits for them.
package worker
