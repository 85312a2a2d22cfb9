package catalog

import (
	"cmp"
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
			return service, c.behindPort(service, func(port corev1.ServicePort) bool {
				return port.Port == int32(destination.Port()) && same(port.Protocol, protocol)
			})
		}
	}
	return nil, nil
}

// BehindNode returns the Service that has a port at the address of a node, or nil if there is none, and the addresses behind it: the
// Service with a node port, if the address is the one of node, or else the oldest one whose load balancer has the address. Users write the
// addresses of load balancers. The caller must not change the Service.
func (c *Catalog) BehindNode(node netip.Addr, destination netip.AddrPort, protocol corev1.Protocol) (*corev1.Service, []netip.AddrPort) {
	address, number := destination.Addr().Unmap(), int32(destination.Port())
	isNodePort := func(port corev1.ServicePort) bool { return port.NodePort == number && same(port.Protocol, protocol) }
	isPort := func(port corev1.ServicePort) bool { return port.Port == number && same(port.Protocol, protocol) }
	var balancer *corev1.Service
	for _, service := range c.Services() {
		if address == node && number != 0 && slices.ContainsFunc(service.Spec.Ports, isNodePort) {
			return service, c.behindPort(service, isNodePort)
		}
		if hasBalancer(service, address.String()) && slices.ContainsFunc(service.Spec.Ports, isPort) && (balancer == nil || older(service, balancer)) {
			balancer = service
		}
	}
	if balancer == nil {
		return nil, nil
	}
	return balancer, c.behindPort(balancer, isPort)
}

func same(a, b corev1.Protocol) bool { return strings.EqualFold(string(protocol(a)), string(b)) }

func older(a, b *corev1.Service) bool {
	return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.UID, b.UID)) < 0
}

func hasBalancer(service *corev1.Service, address string) bool {
	return service.Spec.Type == corev1.ServiceTypeLoadBalancer && slices.ContainsFunc(service.Status.LoadBalancer.Ingress, func(i corev1.LoadBalancerIngress) bool {
		return i.IP == address
	})
}

func (c *Catalog) behindPort(service *corev1.Service, wanted func(corev1.ServicePort) bool) []netip.AddrPort {
	var all []netip.AddrPort
	for _, port := range service.Spec.Ports {
		if !wanted(port) {
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
