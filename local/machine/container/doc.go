// Package container makes machines that are containers of the host's engine. The machine controller of a shoot runs
// in a pod and has no engine. The daemon on the host has an engine, but knows no Machines. They communicate through
// the API server of the seed: Driver, for the machine controller, writes an order, which is a Secret beside the
// Machine, and reads the report in its annotation. The host agent (local/host) reads orders and writes reports.
//
// The host never changes an order and the driver never changes a report. So each side may be killed at any time.
package container
