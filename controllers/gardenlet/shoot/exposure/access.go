// Package exposure tells how the API servers of shoots are reached: by users, by this process and by the nodes of the shoots.
package exposure

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/vpn"
)

// Access is how all shoots of a seed are reached.
type Access struct {
	// FrontDoorPort is where API servers are reached from outside of the seed. Default: 443.
	FrontDoorPort int
	// MachineServerPort is where machines reach them, unless their gateway has ports of its own. Default: FrontDoorPort.
	MachineServerPort int
	// FrontDoorAddress is what names of API servers resolve to: an IP address or a host name. Default: 127.0.0.1.
	FrontDoorAddress string
	// FrontDoorLabels are what Gateways of shoots without exposure class select.
	FrontDoorLabels map[string]string
	// Gateways are the front doors for shoots with an exposure class, by handler.
	Gateways map[string]Gateway
	// Tunnel tells that the nodes of shoots are in a network that the seed's pods do not reach. A tunnel is made for them then.
	Tunnel bool
	// TunnelGates decide which of the ways into shoots the tunnel is.
	TunnelGates vpn.Gates
	// ShootConfig turns the kubeconfig by which a shoot is reached from inside the seed into a configuration for clients.
	// Default: nothing is changed.
	ShootConfig func(kubeconfig []byte) (*rest.Config, error)
}

// Gateway is a front door.
type Gateway struct {
	// Labels are what Gateways for it select.
	Labels map[string]string
	// Addresses are what names of API servers behind it resolve to.
	Addresses []string
	// Ports are where nodes of shoots reach it; zero for MachineServerPort and the usual ones.
	Ports frontdoor.Ports
}

// WithDefaults fills in what is not set.
func (a Access) WithDefaults() Access {
	a.FrontDoorPort = cmp.Or(a.FrontDoorPort, 443)
	a.MachineServerPort = cmp.Or(a.MachineServerPort, a.FrontDoorPort)
	a.FrontDoorAddress = cmp.Or(a.FrontDoorAddress, "127.0.0.1")
	if a.ShootConfig == nil {
		a.ShootConfig = clientcmd.RESTConfigFromKubeConfig
	}
	return a
}

// Validate returns what cannot be meant.
func (a Access) Validate() error {
	if a.FrontDoorPort < 1 || a.FrontDoorPort > 65535 {
		return fmt.Errorf("front door port %d is no port", a.FrontDoorPort)
	}
	if strings.TrimSpace(a.FrontDoorAddress) == "" {
		return fmt.Errorf("front door address %q is neither an IP address nor a host name", a.FrontDoorAddress)
	}
	return nil
}
