package kind

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/gardener-up/gardener-up/local/cluster"
)

// nodeAPIServerPort is the port of the API server on a node of kind.
const nodeAPIServerPort = 6443

// reachTimeout is how long a node may take to answer, which is on this machine.
const reachTimeout = 2 * time.Second

// locate tells the doors of shoots where the gateway of the seed takes connections with a PROXY header. There are no doors if this machine
// does not reach it: the engine publishes the port only of clusters that this release or a newer one has made, and other ways to the nodes need
// an engine that runs on this machine itself.
func (h *Hosting) locate(ctx context.Context) error {
	if h.in.Doors == nil {
		return nil
	}
	addresses, err := h.cluster.FromHost(ctx, []int{cluster.ProxyProtocolPort})
	if err != nil {
		return err
	}
	gateway, err := netip.ParseAddrPort(addresses[cluster.ProxyProtocolPort])
	if err != nil {
		return fmt.Errorf("find the gateway of seed %q: %w", h.seed, err)
	}
	if !gateway.Addr().IsLoopback() && !reaches(ctx, gateway.Addr()) {
		h.told.Do(func() {
			h.in.Log.Info("Shoots get no addresses of their own on this machine: it does not reach the nodes of the seed", "seed", h.seed)
		})
		return nil
	}
	h.reached.Store(true)
	return h.in.Doors.Locate(gateway)
}

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
