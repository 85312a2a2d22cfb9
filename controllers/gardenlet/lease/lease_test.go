package lease_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/lease"
)

var errBoom = errors.New("boom")

func TestHealthy(t *testing.T) {
	clock := testingclock.NewFakeClock(time.Now())
	heartbeat := &lease.Heartbeat{ // without clients: an unhealthy seed must not reach the garden
		Clock: clock, SeedName: "local", Period: 2 * time.Second, MissThreshold: 10,
		SeedHealthy: func(context.Context) error { return errBoom },
	}
	t.Run("GLT-11 the lease of an unhealthy seed is not renewed", func(t *testing.T) {
		if err := heartbeat.Beat(t.Context()); !errors.Is(err, errBoom) {
			t.Errorf("Beat = %v", err)
		}
	})
	t.Run("GLT-12 the gardenlet is unhealthy when renewals fail for too long", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := heartbeat.Start(ctx); err != nil { // beats once
			t.Fatal(err)
		}
		if err := heartbeat.Healthy(nil); err != nil {
			t.Errorf("unhealthy at once: %v", err)
		}
		clock.Step(21 * time.Second)
		if err := heartbeat.Healthy(nil); !errors.Is(err, errBoom) {
			t.Errorf("Healthy after 21 seconds = %v", err)
		}
	})
}

func TestSeedHealth(t *testing.T) {
	for name, tc := range map[string]struct {
		status  int
		healthy bool
	}{
		"GLT-11 /healthz with 200 is healthy":     {http.StatusOK, true},
		"GLT-11 /healthz with 500 is not healthy": {http.StatusInternalServerError, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/healthz" {
					t.Errorf("path = %q", r.URL.Path)
				}
				w.WriteHeader(tc.status)
			}))
			defer server.Close()
			check, err := lease.SeedHealth(&rest.Config{Host: server.URL}, server.Client())
			if err != nil {
				t.Fatal(err)
			}
			if err := check(t.Context()); (err == nil) != tc.healthy {
				t.Errorf("health = %v", err)
			}
		})
	}
}
