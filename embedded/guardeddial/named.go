package guardeddial

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
)

// Named dials only the addresses that a name has at that time, at one port. It is for servers of one owner whose addresses others
// write, such as kubelets: users write the addresses of Nodes, the landscape writes the addresses of the name. Without a name it
// dials nothing.
type Named struct {
	// Name resolves to the addresses.
	Name string
	Port uint16
	// Lookup resolves the name. Default: that of net.DefaultResolver.
	Lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// DialContext connects to an address as net.Dialer does, if it is one of the name.
func (n Named) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive, ControlContext: n.control}
	return dialer.DialContext(ctx, network, address)
}

// control is called with the resolved address, before the connection is made.
func (n Named) control(ctx context.Context, network, address string, _ syscall.RawConn) error {
	endpoint, err := netip.ParseAddrPort(address)
	if err != nil || !strings.HasPrefix(network, "tcp") {
		return fmt.Errorf("connections by %s to %s are not allowed", network, address)
	}
	refused := &NotNamedError{Address: endpoint, Name: n.Name}
	if n.Name == "" || endpoint.Port() != n.Port {
		return refused
	}
	lookup := n.Lookup
	if lookup == nil {
		lookup = net.DefaultResolver.LookupNetIP
	}
	addresses, err := lookup(ctx, "ip", strings.TrimSuffix(n.Name, ".")+".") // in full, without search domains
	if refused.Reason = err; err != nil {
		return refused
	}
	same := func(a netip.Addr) bool { return a.Unmap() == endpoint.Addr().Unmap() }
	if !slices.ContainsFunc(addresses, same) {
		return refused
	}
	return nil
}

// NotNamedError says that the name does not have an address.
type NotNamedError struct {
	Address netip.AddrPort
	Name    string
	// Reason is why the addresses of the name are not known; nil if they are.
	Reason error
}

func (e *NotNamedError) Error() string {
	if e.Reason != nil {
		return fmt.Sprintf("%s is not dialled, because the addresses of %s are not known: %v", e.Address, e.Name, e.Reason)
	}
	return fmt.Sprintf("%s is not dialled, because it is none of the servers that this cluster owns (%s)", e.Address, cmp.Or(e.Name, "none"))
}

func (e *NotNamedError) Unwrap() error { return e.Reason }
