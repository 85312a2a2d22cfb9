// Package serviceports opens the ports of Services at a node's address: node ports, and the ports of load balancers, whose address is
// that of each ready node. A connection leads to a pod of the cluster in a sandbox, and never anywhere else.
//
// Users write Services and EndpointSlices. They choose the numbers of ports, but not the address: only that of the node is used. What
// does not work is told by events of the Service.
package serviceports
