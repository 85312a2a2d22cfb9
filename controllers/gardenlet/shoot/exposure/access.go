// Package exposure defines how users, this process and the nodes of the shoots reach the API servers of shoots.
package exposure

import (
	"cmp"
	"fmt"
	"net/netip"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/vpn"
	"github.com/gardener-up/gardener-up/embedded/shortanswers"
)

// Access says how all shoots of a seed are reached.
type Access struct {
	// FrontDoorPort is the port of API servers for clients outside of the seed. Default: 443.
	FrontDoorPort int
	// MachineServerPort is the port of API servers for machines, unless their gateway has its own ports. Default:
	// FrontDoorPort.
	MachineServerPort int
	// FrontDoorAddress is the address that names of API servers resolve to: an IP address or a host name. Default:
	// 127.0.0.1.
	FrontDoorAddress string
	// FrontDoorLabels are the selector in the Gateways of shoots without an exposure class.
	FrontDoorLabels map[string]string
	// Gateways are the front doors for shoots with an exposure class, by handler.
	Gateways map[string]Gateway
	// Tunnel means that pods of the seed cannot reach the network of the nodes of shoots. Each shoot then gets a
	// tunnel.
	Tunnel bool
	// TunnelGates select the mode of the tunnels.
	TunnelGates vpn.Gates
	// PrivateNetworks are the private networks that users of shoots may reach through the control plane. Default: none.
	PrivateNetworks []string
	// Doors are addresses of this machine by which users reach API servers without names; nil for none.
	Doors Doors
	// MetricsURL is where users read the metrics of their shoots; empty if nobody serves them.
	MetricsURL string
	// ShootConfig turns the kubeconfig for access from inside the seed into a client configuration. Default: nothing is
	// changed. Clients are made with Config.
	ShootConfig func(kubeconfig []byte) (*rest.Config, error)
	// QPS and Burst limit the requests of each client of a shoot: per second, and above that for a short time. No limit if QPS is zero.
	QPS   float32
	Burst int
}

// Doors give each shoot an address of its own on the machine of its users.
type Doors interface {
	// Address is the address of a shoot. It stays the same as long as the shoot exists.
	Address(shoot types.UID) (netip.AddrPort, error)
	// Open makes the address of a shoot lead to its API server.
	Open(shoot types.UID, server netip.AddrPort) error
	// Close closes the door of a shoot that is deleted.
	Close(shoot types.UID) error
}

// Gateway is a front door.
type Gateway struct {
	// Labels are the selector in the Gateways for it.
	Labels map[string]string
	// Addresses are the addresses that names of API servers behind it resolve to.
	Addresses []string
	// Ports are its ports for nodes of shoots; zero means MachineServerPort and the default ports.
	Ports frontdoor.Ports
}

// WithDefaults sets empty fields to their defaults.
func (a Access) WithDefaults() Access {
	a.FrontDoorPort = cmp.Or(a.FrontDoorPort, 443)
	a.MachineServerPort = cmp.Or(a.MachineServerPort, a.FrontDoorPort)
	a.FrontDoorAddress = cmp.Or(a.FrontDoorAddress, "127.0.0.1")
	if a.ShootConfig == nil {
		a.ShootConfig = clientcmd.RESTConfigFromKubeConfig
	}
	return a
}

// Config returns the configuration of clients of a shoot, from its kubeconfig for access from inside the seed. Users of the shoot choose
// how long the answers of its API server are, so longer ones than shortanswers.Longest fail.
func (a Access) Config(kubeconfig []byte) (*rest.Config, error) {
	config, err := a.WithDefaults().ShootConfig(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig of the shoot: %w", err)
	}
	config = shortanswers.Only(config)
	config.QPS = -1
	if a.QPS > 0 { // one limit for all kinds: without it, a client has as many as it knows kinds
		config.QPS, config.Burst = a.QPS, a.Burst
		config.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(a.QPS, a.Burst)
	}
	return config, nil
}

// Validate returns an error if a value is invalid.
func (a Access) Validate() error {
	if a.FrontDoorPort < 1 || a.FrontDoorPort > 65535 {
		return fmt.Errorf("front door port %d is not between 1 and 65535", a.FrontDoorPort)
	}
	if strings.TrimSpace(a.FrontDoorAddress) == "" {
		return fmt.Errorf("front door address %q is neither an IP address nor a host name", a.FrontDoorAddress)
	}
	return nil
}
