// Package container makes machines that are containers of the engine of the host. The machine controller of a shoot is a
// pod and has no engine; the daemon on the host has one, but knows no Machines. They meet in the API server of the seed: Driver,
// for the machine controller, writes an order, a Secret beside the Machine, and reads the report in its annotation; the
// host agent (local/host) reads orders and writes reports.
//
// An order is never changed by the host and a report never by the driver, so that each side may be killed at any time.
package container
