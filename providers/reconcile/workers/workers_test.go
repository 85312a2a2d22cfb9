package workers_test

import (
	"slices"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

func TestZeroValueKeepsDefaults(t *testing.T) {
	got := workers.Options{}.Controller()
	if got.MaxConcurrentReconciles != 0 || got.RateLimiter != nil {
		t.Errorf("options are %+v, want none", got)
	}
}

func TestInsistentWorkersRetryOnceAMinute(t *testing.T) {
	got := workers.Insistent(2).Controller()
	if got.MaxConcurrentReconciles != 2 {
		t.Errorf("count is %d, want 2", got.MaxConcurrentReconciles)
	}
	for range 20 {
		if wait := got.RateLimiter.When(reconcile.Request{}); wait > time.Minute {
			t.Fatalf("an object waits for %s", wait)
		}
	}
}

func TestWaitsDoubleUpToTheLast(t *testing.T) {
	got := workers.Options{Count: 3, FirstRetry: time.Second, LastRetry: 5 * time.Second}.Controller()
	if got.MaxConcurrentReconciles != 3 {
		t.Errorf("count is %d, want 3", got.MaxConcurrentReconciles)
	}
	var waits []time.Duration
	for range 4 {
		waits = append(waits, got.RateLimiter.When(reconcile.Request{}))
	}
	if want := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second}; !slices.Equal(waits, want) {
		t.Errorf("waits are %v, want %v", waits, want)
	}
}
