package gardenapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/internal/shutdown"
	"github.com/gardener-up/gardener-up/embedded/lifecycle"
)

// Server is one Gardener API server in this process.
type Server struct {
	config Config
	runner lifecycle.Runner
	ready  atomic.Pointer[probe]
	passed atomic.Pointer[http.Handler] // see Handler
}

// New returns a server that is not started. Start reports mistakes in config.
func New(config Config) *Server {
	config.setDefaults()
	return &Server{config: config}
}

// Name of the component.
func (s *Server) Name() string { return "gardener-apiserver" }

// Start serves in the background. It does not wait for etcd or for the garden's kube-apiserver.
func (s *Server) Start(ctx context.Context) error {
	if err := s.config.validate(); err != nil {
		return fmt.Errorf("configure gardener-apiserver: %w", err)
	}
	return s.runner.Start(ctx, s.run)
}

// Ready returns nil when every check of /readyz passes.
func (s *Server) Ready(ctx context.Context) error {
	if err := s.runner.Running(); err != nil {
		return err
	}
	probe := s.ready.Load()
	if probe == nil {
		return errors.New("not listening yet")
	}
	return probe.check(ctx)
}

// Handler returns the handler for requests that a kube-apiserver of this process hands over, see package handover. It is
// nil while the server does not serve.
func (s *Server) Handler() http.Handler {
	if handler := s.passed.Load(); handler != nil {
		return *handler
	}
	return nil
}

// Done returns a channel that is closed when the server has ended.
func (s *Server) Done() <-chan struct{} { return s.runner.Done() }

// Err returns why the server ended. It is nil while the server runs and after Stop.
func (s *Server) Err() error { return s.runner.Err() }

// Stop ends the server. It finishes requests in flight and ends watches.
func (s *Server) Stop(ctx context.Context) error { return s.runner.Stop(ctx) }

func (s *Server) run(ctx context.Context) error {
	server, passed, err := build(s.config)
	if err != nil {
		return fmt.Errorf("build gardener-apiserver: %w", err)
	}
	probe, err := newProbe(server.LoopbackClientConfig)
	if err != nil {
		return errors.Join(err, server.SecureServingInfo.Listener.Close())
	}
	s.ready.Store(probe)
	defer s.ready.Store(nil)
	s.passed.Store(&passed)
	defer s.passed.Store(nil)
	s.config.Log.V(1).Info("Serving the Gardener API", "address", server.SecureServingInfo.Listener.Addr().String())
	if err := shutdown.Run(ctx, server, s.config.Last); err != nil {
		return fmt.Errorf("serve the Gardener API: %w", err)
	}
	return nil
}

// probe asks the server itself whether it is ready.
type probe struct {
	client *http.Client
	url    string
}

func newProbe(loopback *rest.Config) (*probe, error) {
	client, err := rest.HTTPClientFor(loopback)
	if err != nil {
		return nil, fmt.Errorf("client for own readiness: %w", err)
	}
	return &probe{client: client, url: loopback.Host + "/readyz"}, nil
}

func (p *probe) check(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url, nil)
	if err != nil {
		return err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", p.url, response.Status)
	}
	return nil
}
