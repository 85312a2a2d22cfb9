package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gardener-up/gardener-up/appliance/component"
)

// Report is the state of the daemon.
type Report struct {
	PID       int       `json:"pid"`
	Version   string    `json:"version"`
	Landscape string    `json:"landscape"`
	Started   time.Time `json:"started"`
	// Ready is true while the landscape serves: everything was ready once, and nothing is degraded now.
	Ready bool `json:"ready"`
	// ReadyAfter is how long it took until everything was ready for the first time; 0 before.
	ReadyAfter time.Duration `json:"readyAfter,omitempty"`
	FrontDoor  string        `json:"frontDoor,omitempty"`
	// HandlerFrontDoors are the addresses of the front doors of exposure classes, by handler.
	HandlerFrontDoors map[string]string `json:"handlerFrontDoors,omitempty"`
	// NameServer is host:port, UDP and TCP, of the DNS server that knows the names of API servers.
	NameServer string `json:"nameServer,omitempty"`
	// Engine is the container engine of the nodes, with the variables that select it. It is empty if nodes are processes.
	Engine string             `json:"engine,omitempty"`
	Parts  []component.Status `json:"parts"`
	// Failure is the reason if the daemon is about to end without being asked to.
	Failure string `json:"failure,omitempty"`
}

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
	mux.HandleFunc("DELETE /seeds/{name}", serveNamed(handlers.RemoveSeed))
	mux.HandleFunc("POST /credentials", serveCredentials(handlers.Credential))
	mux.HandleFunc("/debug/pprof/", pprof.Index) // for developers; only the owner of the landscape can open the socket
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	c.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = c.server.Serve(listener) }()
	return c, nil
}

// serveNamed executes an order about the name in the path. If the order fails, it answers with the reason as plain text.
func serveNamed(order func(context.Context, string) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer(w, order(r.Context(), r.PathValue("name")))
	}
}

func answer(w http.ResponseWriter, err error) {
	switch {
	case err == nil:
		w.WriteHeader(http.StatusOK)
	case errors.Is(err, component.ErrUnknownPart), errors.Is(err, ErrUnknownSeed):
		http.Error(w, err.Error(), http.StatusNotFound)
	default:
		http.Error(w, err.Error(), http.StatusConflict)
	}
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

// Client sends requests to a running daemon.
type Client struct{ http http.Client }

// NewClient returns a client for the socket without connecting to it.
func NewClient(socket string) *Client {
	return &Client{http: http.Client{Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return dial(socket) },
	}}}
}

// Report asks for the present state.
func (c *Client) Report(ctx context.Context) (*Report, error) {
	var last *Report
	err := c.stream(ctx, "/report", func(r *Report) bool { last = r; return false })
	return last, err
}

// Watch calls see on every change until see returns false, the daemon ends or ctx ends.
func (c *Client) Watch(ctx context.Context, see func(*Report) bool) error {
	return c.stream(ctx, "/watch", see)
}

// Stop asks the daemon to end and does not wait for its end.
func (c *Client) Stop(ctx context.Context) error {
	return c.do(ctx, http.MethodPost, "/stop", nil)
}

// StopPart ends one part of the landscape. The error is component.ErrUnknownPart if there is no such part.
func (c *Client) StopPart(ctx context.Context, name string) error { return c.part(ctx, name, "stop") }

// StartPart starts a part again that StopPart has ended. It does not wait until the part is ready.
func (c *Client) StartPart(ctx context.Context, name string) error { return c.part(ctx, name, "start") }

func (c *Client) part(ctx context.Context, name, verb string) error {
	found, err := c.order(ctx, http.MethodPost, "/parts/"+url.PathEscape(name)+"/"+verb, nil)
	if !found {
		return fmt.Errorf("%s part %q: %w", verb, name, component.ErrUnknownPart)
	}
	if err != nil {
		return fmt.Errorf("%s part: %w", verb, err)
	}
	return nil
}

// order sends one order. found is false if the part or seed in the order does not exist.
func (c *Client) order(ctx context.Context, method, path string, body io.Reader) (found bool, _ error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://gardener"+path, body)
	if err != nil {
		return true, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return true, err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return true, nil
	}
	reason, err := io.ReadAll(io.LimitReader(response.Body, 1<<12))
	if err == nil {
		err = errors.New(strings.TrimSpace(string(reason)))
	}
	return response.StatusCode != http.StatusNotFound, err
}

func (c *Client) stream(ctx context.Context, path string, see func(*Report) bool) error {
	return c.do(ctx, http.MethodGet, path, func(decoder *json.Decoder) error {
		for {
			report := &Report{}
			if err := decoder.Decode(report); err != nil {
				return err
			}
			if !see(report) {
				return nil
			}
		}
	})
}

func (c *Client) do(ctx context.Context, method, path string, read func(*json.Decoder) error) error {
	request, err := http.NewRequestWithContext(ctx, method, "http://gardener"+path, nil)
	if err != nil {
		return err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		return errors.New("the daemon answered " + response.Status)
	}
	if read == nil {
		return nil
	}
	return read(json.NewDecoder(response.Body))
}
