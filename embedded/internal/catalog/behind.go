package catalog

import (
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Behind returns the Service that has the address, or nil if there is none, and the addresses behind the port. The caller must not change
// the Service.
func (c *Catalog) Behind(destination netip.AddrPort, protocol corev1.Protocol) (*corev1.Service, []netip.AddrPort) {
	address := destination.Addr().Unmap().String()
	for _, service := range c.Services() {
		if service.Spec.Type != corev1.ServiceTypeExternalName && slices.Contains(service.Spec.ClusterIPs, address) {
			return service, c.behindPort(service, protocol, destination.Port())
		}
	}
	return nil, nil
}

func (c *Catalog) behindPort(service *corev1.Service, protocol corev1.Protocol, number uint16) []netip.AddrPort {
	var all []netip.AddrPort
	for _, port := range service.Spec.Ports {
		if port.Port != int32(number) || !strings.EqualFold(string(port.Protocol), string(protocol)) {
			continue
		}
		for _, text := range c.Endpoints(service, port) {
			if endpoint, err := netip.ParseAddrPort(text); err == nil {
				all = append(all, endpoint)
			}
		}
	}
	return all
}
