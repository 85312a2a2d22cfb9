// Package flow runs a graph of named steps, with as much concurrency as their order allows.
//
// It knows nothing about clusters: a step is a function with predecessors. The whole graph is checked before the first
// step runs. A failed step holds back only the steps after it. Every step may run again in a later flow. Controllers
// import this package; it imports nothing of this module.
package flow

import (
	"context"
	"time"
)

// Step is one task of a flow. The zero values of the optional fields mean: no predecessor, not skipped, no limit, one attempt.
type Step struct {
	// Name is unique in its graph. Users see it as task ID and in progress descriptions.
	Name string
	// After names the steps that must be finished before this one starts. A skipped step counts as finished.
	After []string
	// Skip leaves the step out. It is set when the graph is built, so that the order can be shown before it runs.
	Skip bool
	// Do does the work. It must return soon after its context has ended.
	Do func(context.Context) error
	// Timeout limits the step, including all its attempts. Zero means that only the context of the flow limits it.
	Timeout time.Duration
	// Retry is the pause after an error before the next attempt, as long as Timeout allows. Zero means one attempt.
	Retry time.Duration
}

// attempt runs the step until it succeeds, must not be retried, or times out. It returns the error of the last attempt
// rather than that of the context, since it describes the cause.
func (s Step) attempt(ctx context.Context) error {
	if s.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.Timeout)
		defer cancel()
	}
	for {
		err := s.Do(ctx)
		if err == nil || s.Retry <= 0 || isPermanent(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(s.Retry):
		}
	}
}
