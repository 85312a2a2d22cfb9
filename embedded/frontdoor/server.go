// Package frontdoor is the one way into a landscape: TCP ports whose TLS connections are routed by server name (SNI) to
// the API servers behind, and stay encrypted all the way. It neither holds certificates nor reads what is sent. It
// stands in for the ingress gateway of a seed, whose VirtualServices it obeys (NewVirtualServices).
package frontdoor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/embedded/internal/lifecycle"
	"github.com/gardener-up/gardener-up/embedded/internal/relay"
)

// Config of the front door.
type Config struct {
	Name      string   // unique in the process; also the component's name
	Addresses []string // host:port of each listener; all route the same

	// Routes are fixed: server name, which may begin with "*.", to host:port. They come before those of Sources.
	Routes map[string]string
	// Sources are asked in order for all other names.
	Sources []RouteSource

	// Resolve turns the destination of a route into an address host:port to dial. It is not asked about IP addresses.
	// nil means that Resolver is.
	Resolve func(ctx context.Context, host string, port int) (string, error)
	// Resolver looks up hosts if Resolve is nil; nil means the process's.
	Resolver *net.Resolver

	Log logr.Logger
}

// RouteSource knows routes that change.
type RouteSource interface {
	// Run keeps the routes up to date until ctx ends. It retries by itself; an error ends the front door.
	Run(ctx context.Context) error
	// Route returns the destination of a server name, which is in lower case. It is called from many goroutines.
	Route(serverName string) (Destination, bool)
}

// Destination is where connections of a route go.
type Destination struct {
	Host string // name or IP address
	Port int
}

// Server is the front door.
type Server struct {
	config Config
	static table
	runner lifecycle.Runner
	addrs  []net.Addr
}

// New returns a front door that is not started; mistakes in config are told by Start.
func New(config Config) *Server { return &Server{config: config} }

// Name of the component, taken from the configuration.
func (s *Server) Name() string { return s.config.Name }

// Start opens all ports and serves them in the background.
func (s *Server) Start(ctx context.Context) error {
	if s.runner.Running() == nil {
		return lifecycle.ErrRunning
	}
	var err error
	if s.static, err = staticTable(s.config.Routes); err != nil {
		return fmt.Errorf("configure front door: %w", err)
	}
	var listeners []*net.TCPListener
	s.addrs = nil
	for _, address := range s.config.Addresses {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			closeAll(listeners)
			return fmt.Errorf("open front door: %w", err)
		}
		listeners = append(listeners, listener.(*net.TCPListener))
		s.addrs = append(s.addrs, listener.Addr())
	}
	return s.runner.Start(ctx, func(ctx context.Context) error { return s.serve(ctx, listeners) })
}

// Ready is nil while the ports are open. Routes may follow later: a source can belong to a cluster that does not serve yet.
func (s *Server) Ready(context.Context) error { return s.runner.Running() }

// Addrs are the addresses that are served, in the order of the configuration, valid after Start.
func (s *Server) Addrs() []net.Addr { return s.addrs }

// Done is closed when the front door has ended.
func (s *Server) Done() <-chan struct{} { return s.runner.Done() }

// Err tells why it ended; nil while it runs and after Stop.
func (s *Server) Err() error { return s.runner.Err() }

// Stop closes the ports and all connections.
func (s *Server) Stop(ctx context.Context) error { return s.runner.Stop(ctx) }

func (s *Server) serve(ctx context.Context, listeners []*net.TCPListener) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var conns relay.Set
	var wg sync.WaitGroup
	for _, source := range s.config.Sources {
		wg.Go(func() {
			if err := source.Run(ctx); err != nil && ctx.Err() == nil {
				cancel(fmt.Errorf("watch routes: %w", err))
			}
		})
	}
	for _, listener := range listeners {
		wg.Go(func() { s.accept(ctx, listener, &conns) })
	}
	<-ctx.Done()
	closeAll(listeners)
	conns.CloseAll()
	wg.Wait()
	return context.Cause(ctx)
}

func (s *Server) accept(ctx context.Context, listener *net.TCPListener, conns *relay.Set) {
	for {
		conn, err := listener.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many open files: others end some time
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
			continue
		}
		conns.Go(conn, func() { s.handle(ctx, conn) })
	}
}

func closeAll(listeners []*net.TCPListener) {
	for _, listener := range listeners {
		_ = listener.Close()
	}
}
