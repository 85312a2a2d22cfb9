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

// Callers are the clients that may ask about gardenlets and see the graph. Nil lets everybody do so, for servers that ask
// for no certificates.
type Callers struct {
	Name   string   // of API servers, in their certificates
	Groups []string // of administrators, in theirs
}

// Only lets only the callers reach a handler, who need a verified certificate.
func (c *Callers) Only(next http.Handler) http.Handler {
	if c == nil {
		return next
	}
	isOne := func(group string) bool { return slices.Contains(c.Groups, group) }
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS != nil {
			for _, chain := range r.TLS.VerifiedChains {
				subject := chain[0].Subject
				if subject.CommonName == c.Name || slices.ContainsFunc(subject.Organization, isOne) {
					next.ServeHTTP(w, r)
					return
				}
			}
		}
		http.Error(w, "this path needs a client certificate of an API server", http.StatusUnauthorized)
	})
}
