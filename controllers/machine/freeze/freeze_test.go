package freeze_test

import (
	"context"
	"errors"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/gardener-up/gardener-up/controllers/machine/freeze"
)

func TestGuard(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Now())
	var failure error
	requests := 0
	guard := &freeze.Guard{Clock: clock, Ask: func(context.Context) error { requests++; return failure }}
	for _, step := range []struct {
		name     string
		after    time.Duration
		failure  error
		frozen   bool
		requests int // so far
	}{
		{"nothing is known before the first answer", 0, errors.New("refused"), true, 1},
		{"the next machine does not ask at once", 500 * time.Millisecond, nil, true, 1},
		{"the first answer frees them", time.Second, nil, false, 2},
		{"an answer holds for a while", 5 * time.Second, errors.New("refused"), false, 2},
		{"then the server is asked again", 5 * time.Second, errors.New("refused"), true, 3},
		{"and after a failure soon", time.Second, nil, false, 4},
	} {
		t.Run("MIG-20 "+step.name, func(t *testing.T) {
			clock.SetTime(clock.Now().Add(step.after))
			failure = step.failure
			if frozen := guard.Frozen(t.Context()); frozen != step.frozen || requests != step.requests {
				t.Errorf("frozen is %t after %d requests, want %t after %d", frozen, requests, step.frozen, step.requests)
			}
		})
	}
}
