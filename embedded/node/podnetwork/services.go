package podnetwork

import (
	"net/netip"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/embedded/node/balance"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/reach"
)

// service returns the endpoints of the Service at the destination of a flow, in the order in which the pod tries them, and whether there
// is one.
func (n *Network) service(flow reach.Flow) ([]netip.AddrPort, bool) {
	protocol := corev1.Protocol(flow.Protocol)
	service, endpoints := n.catalog.Behind(flow.Destination, protocol)
	if service == nil && n.config.Node.IsValid() && flow.Destination.Addr().IsLoopback() { // nobody takes addresses outside by writing them into a Service
		service, endpoints = n.catalog.BehindNode(n.config.Node, flow.Destination, protocol)
	}
	if service == nil {
		return nil, false
	}
	balance.Order(service, flow.Source, endpoints)
	return endpoints, true
}
