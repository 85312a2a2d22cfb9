// Package dns is the name server of a landscape. It answers for the Services and headless pods of an embedded
// cluster and for the records that the local provider keeps for shoots. It forwards all other names to the machine's
// own resolvers. It serves one loopback address over UDP and TCP. Processes of the landscape use it through
// Resolver. It is not a general DNS server: it has no zone transfers, DNSSEC or reverse names.
package dns

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/go-logr/logr"
	"github.com/miekg/dns"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/internal/catalog"
	"github.com/gardener-up/gardener-up/embedded/lifecycle"
)

const defaultClusterDomain = "cluster.local"

// Config of the name server.
type Config struct {
	Name    string // unique in the process; also the component's name
	Address string // host:port, for UDP and TCP

	Client        *rest.Config // cluster whose Services are answered; nil means none
	ClusterDomain string       // default cluster.local

	Zone    *Zone    // records; nil means none
	Domains []string // names below these are never forwarded: if Zone lacks a name, it does not exist

	Upstreams []string // host:port of resolvers for all other names; nil means those of /etc/resolv.conf

	Log logr.Logger
}

// Server is the name server.
type Server struct {
	config Config
	runner lifecycle.Runner

	// All fields below belong to one run.
	addr    net.Addr
	catalog *catalog.Catalog
}

// New returns a name server that is not started.
func New(config Config) *Server {
	if config.ClusterDomain == "" {
		config.ClusterDomain = defaultClusterDomain
	}
	return &Server{config: config}
}

// Name of the component, taken from the configuration.
func (s *Server) Name() string { return s.config.Name }

// Start opens the ports and serves in the background.
func (s *Server) Start(ctx context.Context) error {
	if s.runner.Running() == nil {
		return lifecycle.ErrRunning
	}
	listener, packets, err := listen(s.config.Address)
	if err != nil {
		return fmt.Errorf("listen for DNS: %w", err)
	}
	handler, err := s.newHandler(listener.Addr().String())
	if err != nil {
		return errors.Join(err, listener.Close(), packets.Close())
	}
	s.addr, s.catalog = listener.Addr(), handler.cluster.catalog
	return s.runner.Start(ctx, func(ctx context.Context) error { return serve(ctx, listener, packets, handler) })
}

// Ready returns nil if the server answers for all Services.
func (s *Server) Ready(context.Context) error {
	if err := s.runner.Running(); err != nil {
		return err
	}
	if s.catalog != nil && !s.catalog.Synced() {
		return errors.New("the Services of the cluster are not known yet")
	}
	return nil
}

// Addr is the address that is served, valid after Start.
func (s *Server) Addr() net.Addr { return s.addr }

// Done is closed when the server has ended.
func (s *Server) Done() <-chan struct{} { return s.runner.Done() }

// Err is the reason why the server ended. It is nil while the server runs and after Stop.
func (s *Server) Err() error { return s.runner.Err() }

// Stop closes the ports.
func (s *Server) Stop(ctx context.Context) error { return s.runner.Stop(ctx) }

func (s *Server) newHandler(own string) (*handler, error) {
	upstreams := s.config.Upstreams
	if upstreams == nil {
		upstreams = systemUpstreams()
	}
	h := &handler{
		zone:     s.config.Zone,
		upstream: newUpstream(upstreams, own),
		log:      s.config.Log,
	}
	for _, domain := range s.config.Domains {
		h.domains = append(h.domains, dns.CanonicalName(domain))
	}
	h.cluster.domain = dns.CanonicalName(s.config.ClusterDomain)
	if s.config.Client != nil {
		var err error
		if h.cluster.catalog, err = catalog.New(s.config.Client, nil); err != nil {
			return nil, fmt.Errorf("watch Services: %w", err)
		}
	}
	return h, nil
}

// serve ends when ctx ends or one of the servers fails.
func serve(ctx context.Context, listener net.Listener, packets net.PacketConn, h *handler) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if h.cluster.catalog != nil {
			h.cluster.catalog.Run(ctx)
		}
	}()
	servers := []*dns.Server{{Listener: listener, Handler: h}, {PacketConn: packets, Handler: h}}
	failed := make(chan error, len(servers))
	for _, server := range servers {
		started := make(chan struct{})
		server.NotifyStartedFunc = func() { close(started) }
		go func() { failed <- server.ActivateAndServe() }()
		select {
		case <-started:
		case err := <-failed:
			failed <- err // for below
		}
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
		err = fmt.Errorf("serve DNS: %w", err)
		failed <- nil // so that as many can be received below as there are servers
	}
	cancel()
	for _, server := range servers {
		_ = server.Shutdown() // waits for answers under way
		<-failed
	}
	_ = listener.Close() // in case its server never started
	_ = packets.Close()
	<-watched
	return err
}

// listen opens TCP and UDP on the same port, even if address lets the system choose the port.
func listen(address string) (net.Listener, net.PacketConn, error) {
	const tries = 10
	for try := 1; ; try++ {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return nil, nil, err
		}
		packets, err := net.ListenPacket("udp", listener.Addr().String())
		if err == nil {
			return listener, packets, nil
		}
		_ = listener.Close()
		if !strings.HasSuffix(address, ":0") || try == tries {
			return nil, nil, err
		}
	}
}
