package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

// eventTimeout limits the wait for the last events.
const eventTimeout = 30 * time.Second

// watch measures the time from the moment a creation is sent until its event arrives.
type watch struct {
	stream io.Closer
	cancel context.CancelFunc
	ended  chan struct{}

	mu    sync.Mutex
	sent  map[string]time.Time
	took  stats.Sample
	error error
}

// watch starts a watch for changes after the current state.
func (k *kind) watch(ctx context.Context) (*watch, error) {
	answer, err := k.do(ctx, http.MethodGet, "?limit=1", "", nil)
	if err != nil {
		return nil, err
	}
	var now listed
	if err := json.Unmarshal(answer, &now); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, k.url+"?watch=true&resourceVersion="+now.Metadata.ResourceVersion, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	response, err := k.client.Do(request)
	if err != nil {
		cancel()
		return nil, err
	}
	w := &watch{stream: response.Body, cancel: cancel, ended: make(chan struct{}), sent: map[string]time.Time{}}
	if response.StatusCode != http.StatusOK {
		cancel()
		return nil, fmt.Errorf("watch: %s", response.Status)
	}
	go w.read(json.NewDecoder(response.Body))
	return w, nil
}

func (w *watch) read(events *json.Decoder) {
	defer close(w.ended)
	for {
		var event struct {
			Type   string `json:"type"`
			Object struct {
				Metadata struct {
					Name string `json:"name"`
				} `json:"metadata"`
			} `json:"object"`
		}
		err := events.Decode(&event)
		now := time.Now()
		w.mu.Lock()
		if err != nil {
			w.error = err
			w.mu.Unlock()
			return
		}
		if sent, found := w.sent[event.Object.Metadata.Name]; found && event.Type == "ADDED" {
			w.took = append(w.took, now.Sub(sent).Seconds())
		}
		w.mu.Unlock()
	}
}

// expect records that an object is about to be created.
func (w *watch) expect(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent[name] = time.Now()
}

// all waits for the given number of events.
func (w *watch) all(ctx context.Context, want int) (stats.Sample, error) {
	ctx, cancel := context.WithTimeout(ctx, eventTimeout)
	defer cancel()
	for {
		w.mu.Lock()
		took, err := w.took, w.error
		w.mu.Unlock()
		if len(took) >= want || err != nil {
			return took, err
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return nil, fmt.Errorf("%d of %d events came: %w", len(took), want, ctx.Err())
		}
	}
}

// stop ends the watch; a second call does nothing.
func (w *watch) stop() {
	w.cancel()
	_ = w.stream.Close()
	<-w.ended
}
