// Package openapi serves OpenAPI documents without keeping them: it makes them for the first request and drops them after
// a time without requests. The documents of a kube-apiserver take about 40 MB, and at rest nobody reads them. The package
// knows nothing about CustomResourceDefinitions or aggregation (embedded/kubeapi/openapi does).
package openapi

import (
	"net/http"
	"sync"
	"time"

	"github.com/go-logr/logr"
)

// Idle is the default time that documents are kept after the last request.
const Idle = 2 * time.Minute

// Documents are the result of Make.
type Documents struct {
	Handler http.Handler
	Close   func() // ends what keeps them up to date; nil if nothing does
}

// OnDemand is a handler that makes the documents for the first request and drops them when idle.
type OnDemand struct {
	Make func() (Documents, error) // one call at a time; an error is answered with 503 and tried again
	Idle time.Duration
	Log  logr.Logger

	mu      sync.Mutex
	made    *Documents
	users   int
	expires *time.Timer
}

func (o *OnDemand) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	documents, err := o.acquire()
	if err != nil {
		o.Log.Error(err, "OpenAPI documents could not be made")
		w.Header().Set("Retry-After", "1")
		http.Error(w, "OpenAPI documents could not be made", http.StatusServiceUnavailable)
		return
	}
	defer o.release()
	documents.Handler.ServeHTTP(w, r)
}

func (o *OnDemand) acquire() (*Documents, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.made == nil {
		begin := time.Now()
		made, err := o.Make()
		if err != nil {
			return nil, err
		}
		o.made = &made
		o.Log.V(1).Info("Made OpenAPI documents", "took", time.Since(begin))
	}
	o.users++
	if o.expires != nil {
		o.expires.Stop()
	}
	return o.made, nil
}

func (o *OnDemand) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.users--; o.users > 0 {
		return
	}
	o.expires = time.AfterFunc(o.Idle, o.drop)
}

// drop does nothing if a request came while it waited for the lock. That request sets the next timer.
func (o *OnDemand) drop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.users > 0 || o.made == nil {
		return
	}
	if o.made.Close != nil {
		o.made.Close()
	}
	o.made = nil
	o.Log.V(1).Info("Dropped OpenAPI documents")
}
