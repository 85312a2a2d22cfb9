// Package appliance is the program as a value: it prepares the state directory, lists the parts of a landscape
// (wiring_*.go) and runs them under supervision. Command-line matters are in cmd/gardener.
package appliance
