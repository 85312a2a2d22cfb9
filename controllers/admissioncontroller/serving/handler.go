package serving

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// poll is how often a request that is held looks for handlers.
const poll = 10 * time.Millisecond

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "ok") })
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if err := s.Ready(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprint(w, "ok")
	})
	mux.Handle("/metrics", promhttp.HandlerFor(metrics.Registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/", s.answer)
	return mux
}

// answer holds a request until there is a handler that is ready.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), hold)
	defer cancel()
	for {
		if now := s.attached.Load(); now != nil && now.ready() == nil {
			now.handler.ServeHTTP(w, r)
			return
		}
		select {
		case <-ctx.Done():
			http.Error(w, "the admission controller is not ready", http.StatusServiceUnavailable)
			return
		case <-time.After(poll):
		}
	}
}

// Callers lets only clients with a verified certificate reach a handler: those with the common name, and administrators.
// An empty name lets everybody pass, for servers that ask for no certificates.
func Callers(name string, next http.Handler) http.Handler {
	if name == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS != nil {
			for _, chain := range r.TLS.VerifiedChains {
				subject := chain[0].Subject
				if subject.CommonName == name || slices.Contains(subject.Organization, "system:masters") {
					next.ServeHTTP(w, r)
					return
				}
			}
		}
		http.Error(w, "this path needs a client certificate of an API server", http.StatusUnauthorized)
	})
}
