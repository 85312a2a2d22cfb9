package podnetwork

import (
	"net/netip"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
)

// service returns the endpoints of the Service that has the address, and whether there is one.
func (n *Network) service(protocol podnet.Protocol, destination netip.AddrPort) ([]netip.AddrPort, bool) {
	service, endpoints := n.catalog.Behind(destination, corev1.Protocol(protocol))
	return endpoints, service != nil
}
