package podnetwork

import (
	"context"
	"net"
	"net/netip"
	"slices"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
)

const namePort = 53

// server returns the way to the name server of the cluster, and to the servers of the landscape behind its Services. Where these ways lead does
// not depend on what users of the cluster write.
func (n *Network) server(protocol podnet.Protocol, destination netip.AddrPort) podnet.Dial {
	if n.isNameServer(destination) {
		return n.askNames(protocol)
	}
	if protocol != podnet.TCP {
		return nil
	}
	address, ok := n.serverBehind(destination)
	if !ok {
		return nil
	}
	return func(ctx context.Context) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "tcp", address)
	}
}

func (n *Network) isNameServer(destination netip.AddrPort) bool {
	return destination.Port() == namePort && slices.Contains(n.config.NameServers, destination.Addr())
}

// serverBehind returns the host and port of the server of the landscape whose Service has a port at the destination.
func (n *Network) serverBehind(destination netip.AddrPort) (string, bool) {
	for name, address := range n.config.Servers {
		service := n.catalog.Service(name.Namespace, name.Name)
		if service == nil || service.Spec.ClusterIP != destination.Addr().String() {
			continue
		}
		for _, port := range service.Spec.Ports {
			if port.Port == int32(destination.Port()) {
				return address, true
			}
		}
	}
	return "", false
}
