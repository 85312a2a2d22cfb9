// Package agent starts processes for a node. It has two forms, which serve the same requests:
//
// An agent is the first process of a pod's namespaces (user, process IDs, mounts, network, host name and System V objects). It runs the commands by
// which gVisor makes and controls the containers of the pod, because these commands have to be in the same namespaces. It ends when the
// node closes its end of the connection, for example because the node was killed. Then the kernel ends every process of the pod.
//
// A spawner starts the agents. The node starts it first, and may then give up the ability to start programs itself.
//
// Only the nested program imports this package. It does not know containers.
package agent
