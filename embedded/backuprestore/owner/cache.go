package owner

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Cached returns a resolver that uses an answer again for a time. Failures are not kept. The resolver itself is returned if the time is 0.
func Cached(resolver Resolver, ttl time.Duration, now clock.PassiveClock) Resolver {
	if ttl <= 0 {
		return resolver
	}
	return &cache{resolver: resolver, ttl: ttl, clock: now, answers: map[string]answer{}}
}

// cache is safe for concurrent use.
type cache struct {
	resolver Resolver
	ttl      time.Duration
	clock    clock.PassiveClock

	mu      sync.Mutex
	answers map[string]answer // by name
}

type answer struct {
	values []string
	at     time.Time
}

// LookupTXT implements Resolver.
func (c *cache) LookupTXT(ctx context.Context, name string) ([]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, found := c.answers[name]; found && c.clock.Since(known.at) < c.ttl {
		return slices.Clone(known.values), nil
	}
	values, err := c.resolver.LookupTXT(ctx, name)
	if err != nil {
		return nil, err
	}
	c.answers[name] = answer{values: slices.Clone(values), at: c.clock.Now()}
	return values, nil
}
