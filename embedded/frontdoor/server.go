// Package frontdoor is the single entrance to a landscape: TCP ports that route TLS connections by server name (SNI)
// to the API servers behind. Connections stay encrypted end to end. It reads no traffic,
// except that it answers in the place of a server that is absent on purpose (Absence). It replaces the ingress gateway of a seed and obeys the seed's VirtualServices (NewVirtualServices).
package frontdoor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/embedded/internal/relay"
	"github.com/gardener-up/gardener-up/embedded/lifecycle"
)

// Config of the front door.
type Config struct {
	Name      string   // unique in the process; also the component's name
	Addresses []string // host:port of each listener that routes by server name

	// TunnelAddress is host:port of the listener for tunnels of shoots, empty for none.
	TunnelAddress string
	// ProxyAddress is host:port of the listener for connections with a PROXY protocol header, empty for none. Services
	// maps the original destination in the header to a route.
	ProxyAddress string
	Services     AddressSource
	// Serves decides whether tunnels and connections with a PROXY protocol header may lead into a namespace; nil allows
	// all. It is called from many goroutines.
	Serves func(namespace string) bool

	// Routes are fixed routes from a server name, which may begin with "*.", to host:port. They take precedence over
	// Sources.
	Routes map[string]string
	// Sources are asked in order for all other names.
	Sources []RouteSource

	// Resolve turns the destination of a route into an address host:port to dial. It is not called for IP addresses. If
	// it is nil, Resolver is used.
	Resolve func(ctx context.Context, host string, port int) (string, error)
	// Resolver looks up hosts if Resolve is nil. Nil means the resolver of the process.
	Resolver *net.Resolver

	// Alternatives knows the servers behind a destination, of which the first one that answers gets a connection. Nil means that no
	// destination has several.
	Alternatives Alternatives

	// Absent is asked about destinations that cannot be reached. If it knows why, the front door answers itself. It is called
	// from many goroutines; nil means that it never knows.
	Absent func(context.Context, Destination) (Absence, bool)

	Log logr.Logger
}

// RouteSource provides routes that change.
type RouteSource interface {
	// Run keeps the routes up to date until ctx ends. It retries by itself; an error ends the front door.
	Run(ctx context.Context) error
	// Route returns the destination of a server name, which is in lower case. It is called from many goroutines.
	Route(serverName string) (Destination, bool)
}

// Destination is the target of a route.
type Destination struct {
	Host string // name or IP address
	Port int
}

// serves reports whether this front door serves a namespace.
func (s *Server) serves(namespace string) bool {
	return s.config.Serves == nil || s.config.Serves(namespace)
}

// Server is the front door.
type Server struct {
	config   Config
	static   table
	suspects suspects
	runner   lifecycle.Runner
	addrs    []net.Addr
}

// listener is a port and what serves its connections.
type listener struct {
	*net.TCPListener
	handle func(context.Context, *net.TCPConn)
}

// New returns a front door that is not started. Start reports mistakes in config.
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
	listeners, err := s.listen()
	if err != nil {
		closeAll(listeners)
		return fmt.Errorf("open front door: %w", err)
	}
	return s.runner.Start(ctx, func(ctx context.Context) error { return s.serve(ctx, listeners) })
}

// listen opens all ports. After an error it still returns the ports that it opened before.
func (s *Server) listen() ([]listener, error) {
	var listeners []listener
	s.addrs = nil
	open := func(address string, handle func(context.Context, *net.TCPConn)) error {
		opened, err := net.Listen("tcp", address)
		if err != nil {
			return err
		}
		listeners = append(listeners, listener{opened.(*net.TCPListener), handle})
		s.addrs = append(s.addrs, opened.Addr())
		return nil
	}
	for _, address := range s.config.Addresses {
		if err := open(address, s.handle); err != nil {
			return listeners, err
		}
	}
	if s.config.TunnelAddress != "" {
		if err := open(s.config.TunnelAddress, s.handleTunnel); err != nil {
			return listeners, err
		}
	}
	if s.config.ProxyAddress != "" {
		if err := open(s.config.ProxyAddress, s.handleProxied); err != nil {
			return listeners, err
		}
	}
	return listeners, nil
}

// Ready returns nil while the ports are open. Routes may follow later, because a source may belong to a cluster that
// does not serve yet.
func (s *Server) Ready(context.Context) error { return s.runner.Running() }

// Addrs are the addresses served, in the order of the configuration: those routed by server name, the one for
// tunnels, and the one for the PROXY protocol. They are valid after Start.
func (s *Server) Addrs() []net.Addr { return s.addrs }

// Done is closed when the front door has ended.
func (s *Server) Done() <-chan struct{} { return s.runner.Done() }

// Err is the reason why the front door ended. It is nil while it runs and after Stop.
func (s *Server) Err() error { return s.runner.Err() }

// Stop closes the ports and all connections.
func (s *Server) Stop(ctx context.Context) error { return s.runner.Stop(ctx) }

func (s *Server) serve(ctx context.Context, listeners []listener) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var conns relay.Set
	var wg sync.WaitGroup
	var sources []interface{ Run(context.Context) error }
	for _, source := range s.config.Sources {
		sources = append(sources, source)
	}
	if s.config.Services != nil {
		sources = append(sources, s.config.Services)
	}
	if s.config.Alternatives != nil {
		sources = append(sources, s.config.Alternatives)
	}
	for _, source := range sources {
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

func (s *Server) accept(ctx context.Context, listener listener, conns *relay.Set) {
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
		conns.Go(conn, func() { listener.handle(ctx, conn) })
	}
}

func closeAll(listeners []listener) {
	for _, listener := range listeners {
		_ = listener.Close()
	}
}
