package shootvalidator

import (
	"context"
	"sync"
)

// claims are the domains of shoots that requests are about to store. Two requests at once for the same domain both find no shoot
// that has it, so the second one must know of the first. This works within one process, which the Gardener API server is.
type claims struct {
	mu   sync.Mutex
	held map[*claim]struct{}
}

// claim is the domain of one shoot. The name is empty if it is not known yet.
type claim struct{ domain, namespace, name string }

// take claims a domain until the request ends. It returns false if another shoot claims a domain that is, contains or lies in
// this one. The caller then looks for stored shoots: a claim that has ended is stored, or came to nothing.
func (c *claims) take(request context.Context, one claim) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for other := range c.held {
		if one.name != "" && one.name == other.name && one.namespace == other.namespace {
			continue // an update that is tried again, or one of two that create the shoot
		}
		if contains(one.domain, other.domain) || contains(other.domain, one.domain) {
			return false
		}
	}
	if c.held == nil {
		c.held = map[*claim]struct{}{}
	}
	c.held[&one] = struct{}{}
	context.AfterFunc(request, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.held, &one)
	})
	return true
}
