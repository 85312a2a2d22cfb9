// Package door serves over TLS and asks for a user name and a password. Whether it serves is no secret.
package door

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// Times of the server. A query takes a minute at most. Questions are short, and one that does not arrive must not keep others from being answered.
const (
	headerTimeout   = 10 * time.Second
	readTimeout     = 30 * time.Second
	writeTimeout    = 2 * time.Minute
	idleTimeout     = 5 * time.Minute
	shutdownTimeout = 5 * time.Second
)

// How many requests are answered at a time, since each may take as much memory as a query may have samples, and how many wait how long for
// their turn: dashboards ask many questions at once.
const (
	atOnce   = 4
	waiting  = 32
	patience = 20 * time.Second
)

// Server guards a handler.
type Server struct {
	UsersDir          string // with the files username and password
	CertFile, KeyFile string

	handler atomic.Pointer[http.Handler]
}

// Open lets requests through to a handler. Until then the server is healthy, but not ready.
func (s *Server) Open(handler http.Handler) { s.handler.Store(&handler) }

// Serve returns when ctx ends, or if it cannot serve.
func (s *Server) Serve(ctx context.Context, address string) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen for queries: %w", err)
	}
	if _, err := s.certificate(nil); err != nil {
		return err
	}
	server := &http.Server{
		Handler: s.guarded(), ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: s.certificate},
	}
	ended := make(chan error, 1)
	go func() { ended <- server.ServeTLS(listener, "", "") }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve queries: %w", err)
	case <-ctx.Done():
	}
	stopping, stop := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer stop()
	if server.Shutdown(stopping) != nil {
		_ = server.Close()
	}
	<-ended
	return nil
}

// certificate is read for each connection: there are few.
func (s *Server) certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(s.CertFile, s.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("read the certificate: %w", err)
	}
	return &pair, nil
}

func (s *Server) guarded() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/-/healthy", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	mux.HandleFunc("/-/ready", func(w http.ResponseWriter, _ *http.Request) {
		if s.handler.Load() == nil {
			http.Error(w, notOpen, http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ok"))
	})
	turns := newTurns(atOnce, waiting, patience)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		known, err := s.knows(r)
		switch {
		case err != nil:
			http.Error(w, "the password cannot be read", http.StatusInternalServerError)
			return
		case !known:
			w.Header().Set("WWW-Authenticate", `Basic realm="metrics"`)
			http.Error(w, "wrong user name or password", http.StatusUnauthorized)
			return
		}
		handler := s.handler.Load()
		if handler == nil {
			w.Header().Set("Retry-After", "5")
			http.Error(w, notOpen, http.StatusServiceUnavailable)
			return
		}
		if !turns.take(r.Context()) {
			w.Header().Set("Retry-After", "5")
			http.Error(w, "too many requests at a time; try again in a moment", http.StatusTooManyRequests)
			return
		}
		defer turns.giveBack()
		(*handler).ServeHTTP(w, r)
	})
	return mux
}

const notOpen = "the time series are still being read; try again in a moment"

// knows compares with the files as they are now. An empty password opens nothing.
func (s *Server) knows(r *http.Request) (bool, error) {
	name, password, _ := r.BasicAuth()
	wantName, err := s.read("username")
	if err != nil {
		return false, err
	}
	wantPassword, err := s.read("password")
	if err != nil || wantPassword == "" {
		return false, err
	}
	return equal(name, wantName)&equal(password, wantPassword) == 1, nil
}

func (s *Server) read(key string) (string, error) {
	content, err := os.ReadFile(filepath.Join(s.UsersDir, key))
	return strings.TrimSpace(string(content)), err
}

// equal takes as long for all texts.
func equal(a, b string) int {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:])
}
