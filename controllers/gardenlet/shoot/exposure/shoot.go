package exposure

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/vpn"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Shoot says how one shoot is reached.
type Shoot struct {
	Access
	// Domains of the API server.
	operation.Domains
	Shoot *gardencorev1beta1.Shoot
	// Seed is the name of the seed.
	Seed string
	// ExposureClass of the shoot; nil for the default exposure.
	ExposureClass *gardencorev1beta1.ExposureClass
}

// URL is the preferred URL of the API server with a domain.
func (s Shoot) URL() string { return s.AdvertisedAddresses(netip.AddrPort{}, s.FrontDoorPort)[0].URL }

// Gateway is the front door of the shoot: the default one, or that of its exposure class.
func (s Shoot) Gateway() (Gateway, error) {
	class := s.ExposureClass
	if class == nil {
		return Gateway{Labels: s.FrontDoorLabels, Addresses: []string{s.FrontDoorAddress}}, nil
	}
	gateway, found := s.Gateways[class.Handler]
	if !found {
		return Gateway{}, fmt.Errorf("seed %q has no gateway for handler %q of exposure class %q: its gardenlet's configuration names none under exposureClassHandlers",
			s.Seed, class.Handler, class.Name)
	}
	return gateway, nil
}

// FromNodes returns host:port by which nodes reach one of the ports of the gateway of the shoot.
func (s Shoot) FromNodes(port func(frontdoor.Ports) int32) (string, error) {
	gateway, err := s.Gateway()
	if err != nil {
		return "", err
	}
	ports := gateway.Ports
	if ports == (frontdoor.Ports{}) {
		ports = frontdoor.UsualPorts
		ports.TLS = int32(s.MachineServerPort)
	}
	return net.JoinHostPort(s.Internal.APIServer(), strconv.Itoa(int(port(ports)))), nil
}

// MachineServer is the URL of the API server for machines. They use the front door like all other clients.
func (s Shoot) MachineServer() (string, error) {
	address, err := s.FromNodes(func(ports frontdoor.Ports) int32 { return ports.TLS })
	return "https://" + address, err
}

// ServiceHost is the host of the API server that pods use instead of the Service kubernetes. It is empty if nodes reach the API
// server at another port than 443: only the host that pods use can be changed, not the port. It is also empty if nodes can resolve
// the name and pods cannot. The Service kubernetes then leads to the API server.
func (s Shoot) ServiceHost() (string, error) {
	if s.Tunnelled() {
		return "", nil
	}
	server, err := s.FromNodes(func(ports frontdoor.Ports) int32 { return ports.TLS })
	if err != nil {
		return "", err
	}
	if host, port, err := net.SplitHostPort(server); err == nil && port == "443" {
		return host, nil
	}
	return "", nil
}

// Tunnelled reports whether the API server needs a tunnel to reach the network of the shoot.
func (s Shoot) Tunnelled() bool { return s.Tunnel && !helper.IsWorkerless(s.Shoot) }

// TunnelMode is the mode of the tunnel of this shoot.
func (s Shoot) TunnelMode() vpn.Mode { return s.TunnelGates.ModeOf(s.Shoot.Annotations) }
