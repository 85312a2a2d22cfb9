package inside

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/handover"
)

// lowPorts lets every user of the namespace open ports below 1024. The kernel shows the file of the reader's own network namespace.
const lowPorts = "/proc/sys/net/ipv4/ip_unprivileged_port_start"

// configure brings the loopback interface up. It is the only interface, and every address is routed to it.
func configure(setup handover.Setup) error {
	if !setup.Address.Is4() {
		return fmt.Errorf("the pod's address %s is not of IPv4", setup.Address)
	}
	if err := os.WriteFile(lowPorts, []byte("0"), 0); err != nil {
		return fmt.Errorf("open low ports in the pod: %w", err)
	}
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return fmt.Errorf("find the pod's loopback interface: %w", err)
	}
	if err := netlink.LinkSetUp(lo); err != nil {
		return fmt.Errorf("bring up the pod's loopback interface: %w", err)
	}
	own := &netlink.Addr{IPNet: network(netip.PrefixFrom(setup.Address, 32))}
	if err := netlink.AddrReplace(lo, own); err != nil {
		return fmt.Errorf("give the pod the address %s: %w", setup.Address, err)
	}
	routes := []*netlink.Route{{Scope: netlink.SCOPE_LINK, Dst: network(netip.PrefixFrom(netip.IPv4Unspecified(), 0))}}
	for _, prefix := range setup.Landscape {
		if !prefix.Addr().Is4() || !loopback.Contains(prefix.Addr()) || prefix.Bits() < loopback.Bits() {
			return fmt.Errorf("the range %s of the landscape is not below %s", prefix, loopback)
		}
		// The kernel has such a route for all of 127.0.0.0/8, but with 127.0.0.1 as the source of what the pod sends. A server of UDP
		// would answer from there.
		routes = append(routes, &netlink.Route{Type: unix.RTN_LOCAL, Table: unix.RT_TABLE_LOCAL, Scope: netlink.SCOPE_HOST, Dst: network(prefix.Masked())})
	}
	for _, route := range routes {
		route.LinkIndex, route.Src = lo.Attrs().Index, setup.Address.AsSlice()
		if err := netlink.RouteReplace(route); err != nil {
			return fmt.Errorf("route %s to the pod's loopback interface: %w", route.Dst, err)
		}
	}
	return nil
}

func network(prefix netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: prefix.Addr().AsSlice(), Mask: net.CIDRMask(prefix.Bits(), 32)}
}

// firstPort is the first port that is tried for redirected connections. It is above the ports that the kernel chooses for clients
// (32768 to 60999), so that neither clients nor common servers in the pod want it.
const firstPort = 64901

// listen opens the same port for TCP and for UDP. A program in the pod that connects to the port itself gets no further than to the
// daemon, which sees that the connection was not redirected.
func listen() (uint16, *os.File, *os.File, error) {
	var failures []error
	for port := uint16(firstPort); port < firstPort+16; port++ {
		listener, packets, err := listenAt(netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port))
		if err == nil {
			return port, listener, packets, nil
		}
		failures = append(failures, err)
	}
	return 0, nil, nil, fmt.Errorf("listen for the pod's connections: %w", errors.Join(failures...))
}

func listenAt(address netip.AddrPort) (*os.File, *os.File, error) {
	tcp, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(address))
	if err != nil {
		return nil, nil, err
	}
	defer tcp.Close()
	udp, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(address))
	if err != nil {
		return nil, nil, err
	}
	defer udp.Close()
	listener, err := tcp.File()
	if err != nil {
		return nil, nil, err
	}
	packets, err := udp.File()
	if err != nil {
		_ = listener.Close()
		return nil, nil, err
	}
	return listener, packets, nil
}
