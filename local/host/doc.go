// Package host makes the machines of kind seeds: it runs in the daemon, which has the engine of the host, and carries out the
// orders that drivers (local/machine/container) write into the seed's API server. A machine is a container of a node image
// with a whole system in it; local/machine/nodeinit boots it.
//
// What exists is noted in the inventory before it is made and forgotten after it is gone, so that a purge finds everything
// without an API server. Containers whose order does not exist any more are removed.
package host
