package callback

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/embedded/internal/relay"
	"github.com/gardener-up/gardener-up/embedded/tunnel"
)

// maxConnections bounds the connections to one port, and to one server, at a time. Further ones are closed at once, so that who floods a port takes nothing from
// the other ports.
const maxConnections = 512

// port passes connections on to one server of the process at the other end.
type port struct {
	name  string // of the server
	dial  func(name string) (net.Conn, error)
	log   logr.Logger
	limit chan struct{}
}

func newPort(name string, dial func(string) (net.Conn, error), limit int, log logr.Logger) *port {
	return &port{name: name, dial: dial, limit: make(chan struct{}, limit), log: log}
}

// serve accepts connections until ctx ends, and then closes all.
func (p *port) serve(ctx context.Context, listener net.Listener) error {
	var conns relay.Set
	defer conns.CloseAll()
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()
	for {
		conn, err := listener.Accept()
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("take connections to %q: %w", p.name, err)
		case err != nil: // too many open files: others end some time
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
			continue
		}
		select {
		case p.limit <- struct{}{}:
			conns.Go(conn, func() {
				defer func() { <-p.limit }()
				p.pass(conn)
			})
		default:
			p.log.V(1).Info("Connection is refused: there are too many", "server", p.name)
			_ = conn.Close()
		}
	}
}

func (p *port) pass(conn net.Conn) {
	target, err := p.dial(p.name)
	if err != nil {
		if !errors.Is(err, tunnel.ErrNoAgent) { // which probes tell
			p.log.Info("Server cannot be reached", "server", p.name, "reason", err.Error())
		}
		return
	}
	relay.Join(conn, target)
}
