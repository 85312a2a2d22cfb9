package daemon

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/pprof"
	"sync"
	"time"
)

// Control serves the daemon's control socket.
type Control struct {
	report func() Report
	stop   func()
	server *http.Server

	mu      sync.Mutex
	changed chan struct{} // closed and replaced on each change
}

// Handlers are the functions behind the requests of other commands.
type Handlers struct {
	// Report returns the current state.
	Report func() Report
	// Stop asks the daemon to end and does not wait for its end.
	Stop func()
	// StopPart ends one part, StartPart starts it again.
	StopPart, StartPart func(ctx context.Context, name string) error
	// AddSeed brings up a further seed, RemoveSeed removes one. Both return before that is done.
	AddSeed    func(ctx context.Context, seed NewSeed) error
	RemoveSeed func(ctx context.Context, name string) error
	// TrySeed returns the Seed that AddSeed would add, and adds nothing.
	TrySeed func(ctx context.Context, seed NewSeed) (any, error)
	// Credential makes a client certificate for an operator.
	Credential func(CredentialRequest) (Credential, error)
}

// Serve opens the socket.
func Serve(socket string, handlers Handlers) (*Control, error) {
	listener, err := listen(socket)
	if err != nil {
		return nil, err
	}
	c := &Control{report: handlers.Report, stop: handlers.Stop, changed: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /report", c.serveReport)
	mux.HandleFunc("GET /watch", c.serveWatch)
	mux.HandleFunc("POST /stop", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		c.stop()
	})
	mux.HandleFunc("POST /parts/{name}/stop", serveNamed(handlers.StopPart))
	mux.HandleFunc("POST /parts/{name}/start", serveNamed(handlers.StartPart))
	mux.HandleFunc("POST /seeds", serveAddSeed(handlers.AddSeed))
	mux.HandleFunc("POST /seeds/try", serveTrySeed(handlers.TrySeed))
	mux.HandleFunc("DELETE /seeds/{name}", serveNamed(handlers.RemoveSeed))
	mux.HandleFunc("POST /credentials", serveCredentials(handlers.Credential))
	mux.HandleFunc("/debug/pprof/", pprof.Index) // for developers; only the owner of the landscape can open the socket
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	c.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = c.server.Serve(listener) }()
	return c, nil
}

// Changed wakes all watchers.
func (c *Control) Changed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.changed)
	c.changed = make(chan struct{})
}

// Close stops serving. The streams of watchers end.
func (c *Control) Close() error { return c.server.Close() }

func (c *Control) serveReport(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(c.report())
}

// serveWatch sends a report as a line of JSON at once and on each change.
func (c *Control) serveWatch(w http.ResponseWriter, r *http.Request) {
	encoder := json.NewEncoder(w)
	for {
		c.mu.Lock()
		changed := c.changed
		c.mu.Unlock()
		if encoder.Encode(c.report()) != nil {
			return
		}
		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}
