// Package doors relays TCP connections from addresses of this machine to servers, directly or by a relay of theirs. It reads no traffic.
// Doors come and go while it runs.
package doors

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/embedded/internal/proxyprotocol"
	"github.com/gardener-up/gardener-up/embedded/internal/relay"
	"github.com/gardener-up/gardener-up/embedded/lifecycle"
)

// dialTimeout of a server, which is on this machine.
const dialTimeout = 5 * time.Second

// retryInterval is the pause between attempts to open addresses that another process holds.
const retryInterval = 5 * time.Second

// Target is where a door leads.
type Target struct {
	// Server is where connections go.
	Server netip.AddrPort
	// Meant, if valid, is behind Server, which relays: each connection begins with a header of the PROXY protocol that names it.
	Meant netip.AddrPort
}

// Server is a component that keeps doors open.
type Server struct {
	name    string
	log     logr.Logger
	runner  lifecycle.Runner
	changed chan struct{} // has room for one

	mu     sync.Mutex
	wanted map[netip.AddrPort]Target // by the addresses of the doors
	opened map[netip.AddrPort]*door
}

// door is an open listener.
type door struct {
	*net.TCPListener
	target atomic.Pointer[Target]
	conns  relay.Set
	wg     sync.WaitGroup
}

// New returns a server without doors that is not started.
func New(name string, log logr.Logger) *Server {
	return &Server{
		name: name, log: log, changed: make(chan struct{}, 1),
		wanted: map[netip.AddrPort]Target{}, opened: map[netip.AddrPort]*door{},
	}
}

// Name implements component.Component.
func (s *Server) Name() string { return s.name }

// Start opens the doors in the background. An address that cannot be opened is tried again.
func (s *Server) Start(ctx context.Context) error { return s.runner.Start(ctx, s.run) }

// Ready returns nil while it runs and every door is open that could be opened at once.
func (s *Server) Ready(context.Context) error { return s.runner.Running() }

// Done is closed when the server has ended.
func (s *Server) Done() <-chan struct{} { return s.runner.Done() }

// Stop closes all doors and their connections.
func (s *Server) Stop(ctx context.Context) error { return s.runner.Stop(ctx) }

// Open makes connections to address lead to target. Connections that exist stay where they are.
func (s *Server) Open(address netip.AddrPort, target Target) {
	s.mu.Lock()
	s.wanted[address] = target
	s.mu.Unlock()
	s.notify()
}

// Close closes a door and ends its connections soon.
func (s *Server) Close(address netip.AddrPort) {
	s.mu.Lock()
	delete(s.wanted, address)
	s.mu.Unlock()
	s.notify()
}

func (s *Server) notify() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (s *Server) run(ctx context.Context) error {
	defer func() {
		for address := range s.opened {
			s.shut(address)
		}
	}()
	failed := map[netip.AddrPort]bool{}
	for {
		var again <-chan time.Time
		if !s.sync(ctx, failed) {
			again = time.After(retryInterval)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.changed:
		case <-again:
		}
	}
}

// sync opens and closes doors until they are the wanted ones. complete is false if an address could not be opened, which is logged
// once.
func (s *Server) sync(ctx context.Context, failed map[netip.AddrPort]bool) (complete bool) {
	s.mu.Lock()
	wanted := maps.Clone(s.wanted)
	s.mu.Unlock()
	for address := range s.opened {
		if _, ok := wanted[address]; !ok {
			s.shut(address)
		}
	}
	complete = true
	for address, target := range wanted {
		if d := s.opened[address]; d != nil {
			d.target.Store(&target)
			continue
		}
		if err := s.open(ctx, address, target); err != nil {
			complete = false
			if !failed[address] {
				s.log.Error(err, "Address of a door cannot be opened, will try again", "address", address.String())
			}
			failed[address] = true
			continue
		}
		delete(failed, address)
	}
	return complete
}

func (s *Server) open(ctx context.Context, address netip.AddrPort, target Target) error {
	listener, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(address))
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	d := &door{TCPListener: listener}
	d.target.Store(&target)
	d.wg.Go(func() { d.accept(ctx) })
	s.opened[address] = d
	return nil
}

func (s *Server) shut(address netip.AddrPort) {
	d := s.opened[address]
	delete(s.opened, address)
	_ = d.TCPListener.Close()
	d.conns.CloseAll()
	d.wg.Wait()
}

func (d *door) accept(ctx context.Context) {
	for {
		conn, err := d.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many open files: others end some time
			select {
			case <-ctx.Done():
				return
			case <-time.After(100 * time.Millisecond):
			}
			continue
		}
		d.conns.Go(conn, func() { d.relay(ctx, conn) })
	}
}

func (d *door) relay(ctx context.Context, conn *net.TCPConn) {
	dialer, target := net.Dialer{Timeout: dialTimeout}, d.target.Load()
	server, err := dialer.DialContext(ctx, "tcp", target.Server.String())
	if err != nil {
		_ = conn.SetLinger(0) // a reset shows that no server answered; an orderly end would not
		return
	}
	if target.Meant.IsValid() {
		client := conn.RemoteAddr().(*net.TCPAddr).AddrPort()
		if _, err := server.Write(proxyprotocol.Header(client, target.Meant)); err != nil {
			_ = conn.SetLinger(0)
			_ = server.Close()
			return
		}
	}
	relay.Join(conn, server)
}
