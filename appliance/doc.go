// Package appliance is the program as a value: Run is a landscape, RunCluster the cluster of an own seed. It reads as the table
// of contents of a landscape: parts.go lists the parts, the packages below make them and are handed what they need. Command-line
// matters are in cmd/gardener.
package appliance
