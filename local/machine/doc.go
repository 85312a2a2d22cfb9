// Package machine makes the machines of the provider local: pods in the Shoot's namespace that run this binary as a
// kubelet of the Shoot. Driver, for the machine controller, makes the pods. Command runs in them: it unpacks the
// user data below its own directory and becomes the kubelet that the unit kubelet.service describes.
//
// It runs no other unit. Embedded machines have no systemd and no container daemon. Their node agent is part of the kubelet's process:
// Keeper writes the files of changed user data, and finds out whether the machine has what its OperatingSystemConfig says.
package machine
