// Package apiserverproxy makes the Service kubernetes work inside a shoot whose API server runs elsewhere (GEP-08).
// On every node it adds the address that the API server advertises, a cluster IP of the seed, to its own interface.
// It forwards connections to the seed's front door with a PROXY protocol header that names this address. It does not
// read the encrypted traffic.
package apiserverproxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/embedded/internal/proxyprotocol"
	"github.com/gardener-up/gardener-up/embedded/internal/relay"
)

const (
	// dialTimeout bounds how long the front door may take to answer. The proposal says 5 s.
	dialTimeout = 5 * time.Second
	// servicePort is the port named to the front door, whatever the API server's own port is.
	servicePort = 443
)

// Proxy of one node.
type Proxy struct {
	// Address is the host and port that the API server advertises.
	Address netip.AddrPort
	// Upstream is host:port of the seed's front door for the PROXY protocol.
	Upstream string
	Log      logr.Logger
}

// Serve forwards connections of the listener until ctx ends.
func (p *Proxy) Serve(ctx context.Context, listener *net.TCPListener) error {
	var conns relay.Set
	defer conns.CloseAll()
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()
	for {
		conn, err := listener.AcceptTCP()
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, net.ErrClosed) {
			return fmt.Errorf("take connections: %w", err)
		}
		if err != nil { // too many open files: others end some time
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
			continue
		}
		conns.Go(conn, func() { p.pass(ctx, conn) })
	}
}

func (p *Proxy) pass(ctx context.Context, conn *net.TCPConn) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	upstream, err := (&net.Dialer{}).DialContext(ctx, "tcp", p.Upstream)
	if err != nil {
		p.Log.Info("Front door cannot be reached", "upstream", p.Upstream, "error", err.Error())
		return
	}
	client, _ := netip.ParseAddrPort(conn.RemoteAddr().String())
	header := proxyprotocol.Header(client, netip.AddrPortFrom(p.Address.Addr(), servicePort))
	if _, err := upstream.Write(header); err != nil {
		_ = upstream.Close()
		return
	}
	relay.Join(conn, upstream)
}
