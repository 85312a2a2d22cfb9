package neighbours

import (
	"fmt"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// listening is the state of a socket that accepts connections (TCP_LISTEN of the kernel).
const listening = 10

// Listeners returns the IPv4 addresses at which processes of this machine accept connections.
func Listeners() ([]netip.Addr, error) {
	sockets, err := netlink.SocketDiagTCP(unix.AF_INET)
	if err != nil {
		return nil, fmt.Errorf("find out which addresses are in use: %w", err)
	}
	var found []netip.Addr
	for _, socket := range sockets {
		if address, ok := netip.AddrFromSlice(socket.ID.Source); ok && socket.State == listening {
			found = append(found, address.Unmap())
		}
	}
	return found, nil
}
