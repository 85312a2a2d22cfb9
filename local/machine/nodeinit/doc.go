// Package nodeinit boots machines that are containers. It applies the user data to the system of a node image and
// adapts it to the limits of a container: the disk and most kernel settings belong to the host, the cgroups are
// below those of the container, and the address may change with each start.
//
// It runs in the machine, at each start, before the kubelet. The user data counts only until the node agent has
// applied something newer.
package nodeinit
