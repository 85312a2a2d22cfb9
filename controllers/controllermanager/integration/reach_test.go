package integration

import (
	"context"
	"net"
	"net/url"
	"slices"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
)

// calls are the addresses that the controllers have connected to.
var calls callers

type callers struct {
	mu        sync.Mutex
	addresses []string
}

// of returns a configuration whose connections are noted.
func (c *callers) of(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		c.mu.Lock()
		if !slices.Contains(c.addresses, address) {
			c.addresses = append(c.addresses, address)
		}
		c.mu.Unlock()
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	return config
}

func TestOnlyTheGardenIsCalled(t *testing.T) {
	t.Parallel()
	_, seed := newScheduledShoot(t, "alone") // neither the seed nor the shoot is more than an object
	merge(t, leaseOf(seed.Name), `{"spec":{"holderIdentity":"silent"}}`)
	t.Run("GCM-1 seeds without clusters are served, and nothing but the garden is called", func(t *testing.T) {
		eventually(t, "unknown", conditionIs(seed, "GardenletReady", "Unknown"))
		garden, err := url.Parse(access.Host)
		if err != nil {
			t.Fatal(err)
		}
		calls.mu.Lock()
		defer calls.mu.Unlock()
		if !slices.Equal(calls.addresses, []string{garden.Host}) {
			t.Errorf("connections to %v, the garden is %s", calls.addresses, garden.Host)
		}
	})
}
