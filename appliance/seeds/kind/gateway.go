package kind

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// nodeAPIServerPort is the port of the API server on a node of kind.
const nodeAPIServerPort = 6443

// reachTimeout is how long a node may take to answer, which is on this machine.
const reachTimeout = 2 * time.Second

// reaches reports whether this machine reaches a node, whose API server listens always.
func reaches(ctx context.Context, node netip.Addr) bool {
	dialer := net.Dialer{Timeout: reachTimeout}
	conn, err := dialer.DialContext(ctx, "tcp", netip.AddrPortFrom(node, nodeAPIServerPort).String())
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}
