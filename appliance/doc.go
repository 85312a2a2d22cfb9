// Package appliance composes the program: Run runs a landscape, RunCluster the cluster of an own seed. parts.go lists the
// parts of a landscape from top to bottom, landscape.go makes what they share. The packages below make the parts, from an
// inputs struct each. The command line is in cmd/gardener.
package appliance
