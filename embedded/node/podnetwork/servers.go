package podnetwork

import (
	"context"
	"net"
	"net/netip"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
)

const (
	namePort   = 53
	apiService = "kubernetes"
)

// server returns the way to the name server and to the API server of the cluster. Where these ways lead does not depend on what users of the
// cluster write.
func (n *Network) server(protocol podnet.Protocol, destination netip.AddrPort) podnet.Dial {
	switch {
	case n.isNameServer(destination):
		return n.askNames(protocol)
	case protocol == podnet.TCP && n.isAPIServer(destination):
		return func(ctx context.Context) (net.Conn, error) {
			var dialer net.Dialer
			return dialer.DialContext(ctx, "tcp", n.config.APIServer)
		}
	}
	return nil
}

func (n *Network) isNameServer(destination netip.AddrPort) bool {
	return destination.Port() == namePort && slices.Contains(n.config.NameServers, destination.Addr())
}

// isAPIServer reports whether a port of the Service kubernetes is meant.
func (n *Network) isAPIServer(destination netip.AddrPort) bool {
	service := n.catalog.Service(metav1.NamespaceDefault, apiService)
	if service == nil || service.Spec.ClusterIP != destination.Addr().String() {
		return false
	}
	for _, port := range service.Spec.Ports {
		if port.Port == int32(destination.Port()) {
			return true
		}
	}
	return false
}
