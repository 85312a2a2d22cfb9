// Package flow runs a graph of named steps, as many at a time as their order allows.
//
// It knows nothing about clusters: a step is a function with predecessors. The graph is checked as a whole before the
// first step runs, a failure holds back only what comes after it, and every step may run again in a later flow.
// Controllers import it; it imports nothing of this module.
package flow

import (
	"context"
	"time"
)

// Step is one task of a flow. The zero values of the optional fields mean: no predecessor, not skipped, no limit, one attempt.
type Step struct {
	// Name is unique in its graph. It is what users see as task ID and in progress texts.
	Name string
	// After names the steps that have to be finished before this one starts. A skipped step counts as finished.
	After []string
	// Skip leaves the step out. It is decided when the graph is built, so that the order can be shown before it runs.
	Skip bool
	// Do does the work. It must return soon after its context has ended.
	Do func(context.Context) error
	// Timeout limits the step, with all its attempts. Zero means that only the context of the flow limits it.
	Timeout time.Duration
	// Retry is the pause before another attempt after an error, as long as Timeout allows. Zero means one attempt.
	Retry time.Duration
}

// attempt runs the step until it succeeds, may not be repeated, or its time is over. It returns the error of the last
// attempt rather than the one of the context, since that tells the cause.
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
