package webhook

import (
	"net"
	"net/http"
	"sync"
)

// Limits bound what a server does for callers who may be hostile. It refuses what exceeds them, instead of letting callers wait. A hook of such a
// server should have MayFail.
type Limits struct {
	// AtOnce is how many requests are read and answered at a time, and PerCaller how many of them come from one address. PerCaller is
	// lower, so that one caller cannot keep out the others.
	AtOnce, PerCaller int
	// Bytes is the size of a request. Objects are several times larger in memory.
	Bytes int64
}

// handler answers within the limits. Others get status 429 at once, before their request is read.
func (l Limits) handler(inner http.Handler) http.Handler {
	callers := &callers{limits: l, running: map[string]int{}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			caller = r.RemoteAddr
		}
		if !callers.enter(caller) {
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
}

func (c *callers) enter(caller string) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.all >= c.limits.AtOnce || c.running[caller] >= c.limits.PerCaller {
		return false
	}
	c.all++
	c.running[caller]++
	return true
}

func (c *callers) leave(caller string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.all--
	if c.running[caller]--; c.running[caller] == 0 {
		delete(c.running, caller)
	}
}
