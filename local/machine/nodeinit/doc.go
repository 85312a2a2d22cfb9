// Package nodeinit boots machines that are containers: it makes a node image's system take what the user data says, and adapts
// it to what a container may do: the disk and most kernel settings are the host's, the cgroups are below those of the
// container, the address may change with each start.
//
// It runs in the machine, at each start, before the kubelet. The user data counts only until the node agent has applied
// something newer.
package nodeinit
