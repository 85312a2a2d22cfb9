// Package callback lets programs of a cluster call servers of a process that they cannot dial, for example because the process runs on a
// machine of which the cluster's pods know no address. A pod of the cluster runs the component Command. It listens at one port for each server. The process
// connects to that pod and answers what comes from there (Servers.Answer): each connection to a port becomes a stream that names the server. So nothing
// of the machine listens for the cluster, and the pod reaches no other server than those that the process has named.
//
//	program ─► Service ─► pod of the component ◄═══ streams ═══ connection of the process ─► its server
//
// Connections stay as they are: programs and servers use TLS and authenticate each other. The package knows nothing of Kubernetes objects.
package callback
