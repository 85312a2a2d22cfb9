package webhook

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits bound what a server does for callers who may be hostile. Few requests wait for a short time, and it refuses others. A hook of such a
// server should have MayFail.
type Limits struct {
	// AtOnce is how many requests are read and answered at a time, and PerCaller how many of them come from one address. PerCaller is
	// lower, so that one caller cannot keep out the others.
	AtOnce, PerCaller int
	// Waiting is how many others wait for their turn, for at most Patience. They are not read yet.
	Waiting  int
	Patience time.Duration
	// Bytes is the size of a request. Objects are several times larger in memory.
	Bytes int64
}

// handler answers within the limits. Others get status 429 before their request is read.
func (l Limits) handler(inner http.Handler) http.Handler {
	callers := &callers{limits: l, running: map[string]int{}, changed: make(chan struct{})}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			caller = r.RemoteAddr
		}
		if !callers.enter(r.Context(), caller) {
			w.Header().Set("Connection", "close") // the body is not read
			http.Error(w, "too many requests at a time", http.StatusTooManyRequests)
			return
		}
		defer callers.leave(caller)
		if r.ContentLength > l.Bytes {
			w.Header().Set("Connection", "close")
			http.Error(w, "the request is too large", http.StatusRequestEntityTooLarge)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, l.Bytes)
		inner.ServeHTTP(w, r)
	})
}

// callers counts the requests that are answered at present.
type callers struct {
	limits  Limits
	mutex   sync.Mutex
	all     int
	running map[string]int // by address
	waiting int
	changed chan struct{} // is closed when a request has been answered
}

// enter reports whether the request may be answered now. It waits for that if not too many wait.
func (c *callers) enter(ctx context.Context, caller string) bool {
	ctx, cancel := context.WithTimeout(ctx, c.limits.Patience)
	defer cancel()
	for waits := false; ; waits = true {
		may, changed := c.try(caller, waits)
		if may || changed == nil {
			return may
		}
		select {
		case <-changed:
		case <-ctx.Done():
			c.mutex.Lock()
			defer c.mutex.Unlock()
			c.waiting--
			return false
		}
	}
}

// try returns what to wait for if the request may not be answered yet, and nil if it may not wait. waits says that it does already.
func (c *callers) try(caller string, waits bool) (may bool, changed <-chan struct{}) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.all < c.limits.AtOnce && c.running[caller] < c.limits.PerCaller {
		c.all++
		c.running[caller]++
		if waits {
			c.waiting--
		}
		return true, nil
	}
	if !waits {
		if c.waiting >= c.limits.Waiting {
			return false, nil
		}
		c.waiting++
	}
	return false, c.changed
}

func (c *callers) leave(caller string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.all--
	close(c.changed)
	c.changed = make(chan struct{})
	if c.running[caller]--; c.running[caller] == 0 {
		delete(c.running, caller)
	}
}
