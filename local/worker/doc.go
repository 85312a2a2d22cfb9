// Package worker turns the pools of a Worker into machine objects: per pool and zone one MachineDeployment, one
// MachineClass and one Secret with the user data. Making the machines is up to the machine controller of the Shoot and its
// driver; this package only describes what it wants and waits.
package worker
