// Package host makes the machines of kind seeds. It runs in the daemon, which has access to the host's engine. It carries out the
// orders that drivers (local/machine/container) write into the seed's API server. A machine is a container of a node image with a
// complete operating system. local/machine/nodeinit boots it.
//
// Each container is recorded in the inventory before it is made, and removed from the inventory when it is gone. So a purge finds
// all containers without an API server. Containers whose order no longer exists are removed.
package host
