package frontdoor

import (
	"context"
	"net"
	"net/netip"
	"time"

	"github.com/gardener-up/gardener-up/embedded/internal/proxyprotocol"
	"github.com/gardener-up/gardener-up/embedded/internal/relay"
)

// AddressSource maps addresses to Services.
type AddressSource interface {
	// Run keeps the addresses up to date until ctx ends.
	Run(ctx context.Context) error
	// Service returns the destination of connections to the address, and the namespace of the Service. It is called
	// from many goroutines.
	Service(address netip.Addr) (destination Destination, namespace string, known bool)
}

// handleProxied serves a connection that begins with the PROXY protocol. It forwards the connection to the original
// destination in the header, if that is the address of an API server (SNI-10). It drops all other connections.
func (s *Server) handleProxied(ctx context.Context, conn *net.TCPConn) {
	_ = conn.SetReadDeadline(time.Now().Add(helloTimeout))
	meant, err := proxyprotocol.Read(conn)
	if err != nil {
		s.config.Log.V(1).Info("Dropped a connection without a PROXY header", "client", conn.RemoteAddr().String(), "error", err.Error())
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	destination, namespace, ok := s.config.Services.Service(meant.Addr())
	if !ok || meant.Port() != defaultPort || !s.serves(namespace) {
		s.config.Log.V(1).Info("Dropped a connection for an unknown address", "client", conn.RemoteAddr().String(), "address", meant.String())
		return
	}
	addresses, err := s.addresses(ctx, destination)
	if err != nil {
		s.config.Log.V(1).Info("Destination cannot be reached", "destination", destination.Host, "error", err.Error())
		return
	}
	var head []byte
	if len(addresses) > 1 { // only a client's hello shows which of them answers
		_ = conn.SetReadDeadline(time.Now().Add(helloTimeout))
		if _, head, err = readServerName(conn); err != nil {
			return
		}
		_ = conn.SetReadDeadline(time.Time{})
	}
	backend, err := s.openOne(ctx, addresses, head)
	if err != nil {
		s.config.Log.V(1).Info("Destination cannot be reached", "destination", destination.Host, "error", err.Error())
		return
	}
	if _, err := conn.Write(backend.said); err != nil {
		_ = backend.conn.Close()
		return
	}
	relay.Join(conn, backend.conn)
}
