package podnetwork

import (
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
)

// service returns the endpoints of the Service that has the address, and whether there is one.
func (n *Network) service(protocol podnet.Protocol, destination netip.AddrPort) ([]netip.AddrPort, bool) {
	address := destination.Addr().Unmap().String()
	for _, service := range n.catalog.Services() {
		if service.Spec.Type != corev1.ServiceTypeExternalName && slices.Contains(service.Spec.ClusterIPs, address) {
			return n.endpoints(service, protocol, destination.Port()), true
		}
	}
	return nil, false
}

func (n *Network) endpoints(service *corev1.Service, protocol podnet.Protocol, number uint16) []netip.AddrPort {
	var all []netip.AddrPort
	for _, port := range service.Spec.Ports {
		if port.Port != int32(number) || !strings.EqualFold(string(port.Protocol), string(protocol)) {
			continue
		}
		for _, text := range n.catalog.Endpoints(service, port) {
			if endpoint, err := netip.ParseAddrPort(text); err == nil {
				all = append(all, endpoint)
			}
		}
	}
	return all
}
