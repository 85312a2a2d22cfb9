// Package healthz serves the health of a component, over HTTP, over TLS, or both. Its user defines what healthy means. The endpoint says nothing
// else about the component.
package healthz

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	ctrlhealthz "sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
	"github.com/gardener-up/gardener-up/embedded/polled"
)

// Time limits of the server.
const (
	headerTimeout   = 10 * time.Second
	shutdownTimeout = 3 * time.Second
)

// Server is a runnable for a manager. It serves /healthz and /readyz on all addresses that are configured.
type Server struct {
	// Name of the component, for its log, its errors and its own certificate.
	Name string
	// Plain and Secure are the addresses to listen on; nil serves nothing.
	Plain  *componentconfig.Listener
	Secure *componentconfig.HTTPSListener
	// Healthy and Ready are called for each request; nil means healthy or ready.
	Healthy, Ready ctrlhealthz.Checker
}

// NeedLeaderElection is false, since every process serves its own health.
func (s *Server) NeedLeaderElection() bool { return false }

// Start serves until ctx ends. It fails if an address is in use or a certificate cannot be read.
func (s *Server) Start(ctx context.Context) error {
	listeners, err := s.listen(ctx)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: s.handler(), ReadHeaderTimeout: headerTimeout}
	ended := make(chan error, len(listeners))
	for _, listener := range listeners {
		log.FromContext(ctx).Info("Serving health", "component", s.Name, "address", listener.Addr().String())
		go func() { ended <- server.Serve(listener) }()
	}
	<-ctx.Done()
	stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	errs := []error{server.Shutdown(stopCtx)}
	for range listeners {
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for path, check := range map[string]ctrlhealthz.Checker{"/healthz": s.Healthy, "/readyz": s.Ready} {
		mux.Handle(path, answer(check))
	}
	return mux
}

// answer responds with 200 or, with the reason, 500.
func answer(check ctrlhealthz.Checker) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if check != nil {
			if err := check(request); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
		}
		_, _ = w.Write([]byte("ok"))
	})
}

// listen opens all addresses or none.
func (s *Server) listen(ctx context.Context) (listeners []net.Listener, err error) {
	defer func() {
		if err != nil {
			for _, listener := range listeners {
				err = errors.Join(err, listener.Close())
			}
		}
	}()
	if s.Plain != nil {
		listener, err := s.open(ctx, *s.Plain)
		if err != nil {
			return nil, err
		}
		listeners = append(listeners, listener)
	}
	if s.Secure != nil {
		certificate, err := s.certificate(ctx)
		if err != nil {
			return listeners, err
		}
		listener, err := s.open(ctx, s.Secure.Listener)
		if err != nil {
			return listeners, err
		}
		secure := &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: certificate, NextProtos: []string{"http/1.1"}}
		listeners = append(listeners, tls.NewListener(listener, secure))
	}
	return listeners, nil
}

func (s *Server) open(ctx context.Context, l componentconfig.Listener) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", l.Address())
	if err != nil {
		return nil, fmt.Errorf("listen for the health of the %s: %w", s.Name, err)
	}
	return listener, nil
}

// certificate returns a function that reads the certificate files when they have changed, or one for a self-signed
// certificate of this process.
func (s *Server) certificate(ctx context.Context) (func(*tls.ClientHelloInfo) (*tls.Certificate, error), error) {
	files := s.Secure.TLS
	if files == nil {
		own, err := selfSigned(s.Name, s.Secure.BindAddress)
		return func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return own, nil }, err
	}
	watcher, err := polled.NewCertificate(files.ServerCertPath, files.ServerKeyPath)
	if err != nil {
		return nil, fmt.Errorf("read serving certificate of the %s: %w", s.Name, err)
	}
	go watcher.Run(ctx)
	return watcher.Get, nil
}
