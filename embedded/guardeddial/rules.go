// Package guardeddial connects to addresses that users choose: of webhooks, of identity providers, of clusters. It prevents such a
// user from reaching this machine, its neighbours or the landscape through our process. Neighbours are servers in private networks. It checks an address when it connects, after
// the name is resolved. So a name cannot resolve to another address between the check and the connection.
package guardeddial

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"path"
	"slices"
	"strings"
)

// Rules say which addresses may be dialled. The zero value allows public addresses only. It refuses private networks, this machine,
// the local link, and addresses that stand for many or no machines.
type Rules struct {
	// Hosts are names that may have any address, because their owner is trusted. "*" in a name stands for any text. A name
	// with a port (name:port) may be dialled at this port only.
	Hosts []string
	// Endpoints may be dialled although their address is refused.
	Endpoints []netip.AddrPort
	// Refused are further addresses that are refused, for example those of a seed.
	Refused []netip.Prefix
	// Private are the private networks that may be dialled. Addresses in them that are refused for another reason stay refused.
	Private []netip.Prefix
	// Simulated are ranges of Services and pods that no process serves. They are refused before all other rules, because the same
	// addresses may belong to unrelated machines elsewhere.
	Simulated []netip.Prefix
	// Cluster connects to addresses in Simulated, if some of these Services and pods are served all the same. May be nil.
	Cluster func(ctx context.Context, network string, to netip.AddrPort) (net.Conn, error)
}

// never are addresses that no rule of package netip names.
var never = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),          // this network
	netip.MustParsePrefix("240.0.0.0/4"),        // reserved, and broadcast
	netip.MustParsePrefix("100.100.100.200/32"), // metadata of a cloud
	netip.MustParsePrefix("fd00:ec2::/32"),      // metadata of a cloud
	netip.MustParsePrefix("fec0::/10"),          // site-local
	netip.MustParsePrefix("64:ff9b:1::/48"),     // NAT64 of this network, at any place of the address
	netip.MustParsePrefix("2001::/32"),          // Teredo
}

// private are the ranges of networks that are not connected to the internet.
var private = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("100.64.0.0/10"), // networks of providers
	netip.MustParsePrefix("198.18.0.0/15"), // networks for measurements
	netip.MustParsePrefix("fc00::/7"),      // unique local addresses
}

// IsPrivate reports whether all addresses of the range are in private networks.
func IsPrivate(networks netip.Prefix) bool {
	return slices.ContainsFunc(private, func(p netip.Prefix) bool { return p.Bits() <= networks.Bits() && p.Contains(networks.Addr()) })
}

// carriers are ranges of IPv6 whose addresses contain an IPv4 address, at the byte given.
var carriers = []struct {
	netip.Prefix
	at int
}{
	{netip.MustParsePrefix("::/96"), 12},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12},
	{netip.MustParsePrefix("64:ff9b::/96"), 12},
	{netip.MustParsePrefix("2002::/16"), 2},
}

// trusts reports whether a name may have any address at the port.
func (r Rules) trusts(host, port string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return slices.ContainsFunc(r.Hosts, func(trusted string) bool {
		if strings.Count(trusted, ":") == 1 { // more are an address of IPv6
			name, only, _ := strings.Cut(trusted, ":")
			if only != port {
				return false
			}
			trusted = name
		}
		matches, err := path.Match(trusted, host)
		return err == nil && matches
	})
}

// Check returns an error if the endpoint must not be dialled.
func (r Rules) Check(endpoint netip.AddrPort) error {
	address := endpoint.Addr().Unmap().WithZone("")
	if r.Simulates(address) {
		return &SimulatedError{Address: endpoint.Addr()}
	}
	if slices.Contains(r.Endpoints, netip.AddrPortFrom(address, endpoint.Port())) {
		return nil
	}
	return r.check(address, endpoint.Addr())
}

// Simulates reports whether no process serves the address, because it is that of a Service or pod that is only simulated.
func (r Rules) Simulates(address netip.Addr) bool { return in(r.Simulated, address.Unmap()) }

// check decides by the address alone. whole is the address in errors.
func (r Rules) check(address, whole netip.Addr) error {
	switch {
	case !address.IsValid(), address.IsUnspecified(), address.IsLoopback(), address.IsMulticast(), address.IsLinkLocalUnicast():
		return &RefusedError{Address: whole}
	case in(never, address), in(r.Refused, address):
		return &RefusedError{Address: whole}
	case in(private, address) && !in(r.Private, address):
		return &RefusedError{Address: whole, Private: true}
	}
	for _, carrier := range carriers {
		if !carrier.Contains(address) {
			continue
		}
		bytes := address.As16()
		inner, _ := netip.AddrFromSlice(bytes[carrier.at : carrier.at+4])
		return r.check(inner, whole)
	}
	return nil
}

func in(prefixes []netip.Prefix, address netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(address) })
}

// PrivateNetworks is the setting of a landscape that lists the private networks which requests for users may reach.
const PrivateNetworks = "tenants.privateNetworks"

// RefusedError says that an address is refused.
type RefusedError struct {
	Address netip.Addr
	// Private means that the operator of the landscape could allow the address.
	Private bool
}

func (e *RefusedError) Error() string {
	if e.Private {
		return fmt.Sprintf("the address %s is in a private network, where requests for users are allowed only if the operator of the landscape lists the network in %s of its configuration", e.Address, PrivateNetworks)
	}
	return fmt.Sprintf("the address %s belongs to this machine or to the landscape, where requests for users are not allowed", e.Address)
}
