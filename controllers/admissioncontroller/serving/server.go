// Package serving listens for the API servers of the garden. It listens before its handlers exist, because they need the garden
// themselves. An API server waits a moment for an answer, while a refused connection costs it half a second.
//
// The package knows neither webhooks nor rules.
package serving

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gardener-up/gardener-up/embedded/drain"
	"github.com/gardener-up/gardener-up/embedded/polled"
)

const (
	headerTimeout   = 10 * time.Second
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = 5 * time.Second
)

// Server listens over TLS. Its fields must not change once it runs.
type Server struct {
	Address string // host:port
	// CertFile and KeyFile are read again when they change.
	CertFile, KeyFile string
	// ClientCAFile verifies client certificates, and is read again, too; empty means that none are asked for. See Callers.
	ClientCAFile string

	Holder
}

// Run serves until ctx ends.
func (s *Server) Run(ctx context.Context) error {
	listener, err := net.Listen("tcp", s.Address)
	if err != nil {
		return fmt.Errorf("listen for requests of the garden: %w", err)
	}
	return s.Serve(ctx, listener)
}

// Serve is Run with a listener, which it closes.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	config, watch, err := s.tls()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		watch(ctx)
	}()
	defer func() { <-watching }()
	server := &http.Server{Handler: s.handler(), ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, TLSConfig: config}
	connections := &drain.Connections{}
	server.ConnState = connections.Note
	ended := make(chan error, 1)
	go func() { ended <- server.ServeTLS(listener, "", "") }()
	select {
	case err := <-ended:
		cancel()
		return fmt.Errorf("serve requests of the garden: %w", err)
	case <-ctx.Done():
	}
	stopping, stop := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer stop()
	err = connections.Shutdown(stopping, server)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	if reason := <-ended; !errors.Is(reason, http.ErrServerClosed) {
		err = errors.Join(err, reason)
	}
	return err
}

// tls returns what reads the files again, too.
func (s *Server) tls() (config *tls.Config, watch func(context.Context), err error) {
	certificate, err := polled.NewCertificate(s.CertFile, s.KeyFile)
	if err != nil {
		return nil, nil, fmt.Errorf("read certificate of the admission controller: %w", err)
	}
	config = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: certificate.Get}
	if s.ClientCAFile == "" {
		return config, certificate.Run, nil
	}
	clients, err := polled.NewAuthorities(s.ClientCAFile)
	if err != nil {
		return nil, nil, fmt.Errorf("read CA of clients: %w", err)
	}
	config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		return &tls.Config{
			MinVersion: tls.VersionTLS12, GetCertificate: certificate.Get, NextProtos: []string{"h2", "http/1.1"},
			ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: clients.Pool(),
		}, nil
	}
	return config, func(ctx context.Context) {
		var both sync.WaitGroup
		both.Go(func() { certificate.Run(ctx) })
		both.Go(func() { clients.Run(ctx) })
		both.Wait()
	}, nil
}
