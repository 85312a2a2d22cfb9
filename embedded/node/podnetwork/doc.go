// Package podnetwork says what pods in sandboxes of a node reach: the Services, names and pods of their cluster, and its API server. It
// reads the cluster through the API. Users of the cluster write what is there. So nothing that is read decides which
// address of the machine is dialled: package reach asks this package where pods and servers are, and refuses the rest.
package podnetwork
