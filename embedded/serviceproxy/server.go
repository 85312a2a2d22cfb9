// Package serviceproxy makes the Services of an embedded cluster work. It listens on every cluster IP and port, and
// relays connections to the pods behind it. Cluster IPs are loopback addresses, so this needs neither privileges nor
// kernel rules. It is not kube-proxy: it has no node ports, load balancers or session affinity. For Services of shoots, embedded/node has them.
package serviceproxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/internal/catalog"
	"github.com/gardener-up/gardener-up/embedded/lifecycle"
)

// Config of the proxy of one cluster.
type Config struct {
	Name   string // unique in the process; also the component's name
	Client *rest.Config

	// ServiceCIDR are the cluster IPs to serve. Other IPs are ignored. Default 127.96.0.0/16.
	ServiceCIDR netip.Prefix
	// Servers are host:port behind Services without pods, for example of the API server behind default/kubernetes.
	Servers map[types.NamespacedName]string

	// Absent is asked about Services behind which no pod answers. If it knows why, it returns a function that answers the TCP
	// connection. It is called from many goroutines; nil means that it never knows.
	Absent func(ctx context.Context, namespace, service string) (answer func(*net.TCPConn), known bool)

	Log logr.Logger
}

// Server is the proxy.
type Server struct {
	config  Config
	runner  lifecycle.Runner
	current atomic.Pointer[proxy] // of the run under way
}

// New returns a proxy that is not started.
func New(config Config) *Server {
	if !config.ServiceCIDR.IsValid() {
		config.ServiceCIDR = netip.PrefixFrom(netip.AddrFrom4([4]byte{127, 96, 0, 0}), 16)
	}
	return &Server{config: config}
}

// Name of the component, taken from the configuration.
func (s *Server) Name() string { return s.config.Name }

// Start begins to watch Services and to serve them in the background.
func (s *Server) Start(ctx context.Context) error {
	if s.runner.Running() == nil {
		return lifecycle.ErrRunning
	}
	p := &proxy{
		config: s.config, changed: make(chan struct{}, 1),
		listeners: map[address]*listener{}, failed: map[address]struct{}{},
	}
	var err error
	if p.catalog, err = catalog.New(s.config.Client, p.notify); err != nil {
		return fmt.Errorf("watch Services: %w", err)
	}
	s.current.Store(p)
	return s.runner.Start(ctx, p.run)
}

// Ready returns nil if all Services that existed at the start are served, as far as possible.
func (s *Server) Ready(context.Context) error {
	if err := s.runner.Running(); err != nil {
		return err
	}
	if p := s.current.Load(); p == nil || !p.ready.Load() {
		return errors.New("not all Services are served yet")
	}
	return nil
}

// Endpoint returns the address host:port of a pod that currently serves a Service's port, a different one each time.
// host is <service>.<namespace>.svc, with or without the cluster domain. It lets callers in this process bypass the
// proxy.
func (s *Server) Endpoint(_ context.Context, host string, port int) (string, error) {
	p := s.current.Load()
	if p == nil {
		return "", errors.New("the service proxy does not run")
	}
	return p.endpoint(host, port)
}

// Done is closed when the proxy has ended.
func (s *Server) Done() <-chan struct{} { return s.runner.Done() }

// Err is the reason why the proxy ended. It is nil while the proxy runs and after Stop.
func (s *Server) Err() error { return s.runner.Err() }

// Stop closes all ports and connections.
func (s *Server) Stop(ctx context.Context) error { return s.runner.Stop(ctx) }
