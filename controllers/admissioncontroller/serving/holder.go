package serving

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

const (
	// hold is how long a request waits for handlers. API servers wait longer.
	hold = 8 * time.Second
	// poll is how often a request that is held looks for handlers.
	poll = 10 * time.Millisecond
)

// Holder holds requests until a handler is attached that answers them.
type Holder struct{ attached atomic.Pointer[attachment] }

// attachment is what answers requests, and whether it can.
type attachment struct {
	handler http.Handler
	ready   func() error
}

// Attach makes a handler answer requests, instead of the one before. ready returns nil if the handler can answer. The handler
// answers until detach is called.
func (h *Holder) Attach(handler http.Handler, ready func() error) (detach func()) {
	now := &attachment{handler, ready}
	h.attached.Store(now)
	return func() { h.attached.CompareAndSwap(now, nil) }
}

// Ready returns nil if requests are answered.
func (h *Holder) Ready() error {
	now := h.attached.Load()
	if now == nil {
		return errors.New("the admission controller has not started yet")
	}
	return now.ready()
}

func (h *Holder) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "ok") })
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if err := h.Ready(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprint(w, "ok")
	})
	mux.Handle("/metrics", promhttp.HandlerFor(metrics.Registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/", h.answer)
	return mux
}

// answer holds a request until there is a handler that is ready.
func (h *Holder) answer(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), hold)
	defer cancel()
	for {
		if now := h.attached.Load(); now != nil && now.ready() == nil {
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
