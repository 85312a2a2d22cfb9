// Package lifecycle turns a function that blocks until its context ends into the Start, Done and Stop of a component.
// It is not a supervisor: it never restarts anything. Servers use it themselves. The appliance uses it through its package loop.
package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrRunning is returned by Start while an earlier start has not ended.
var ErrRunning = errors.New("already running")

// errStopRequested is the cause of a context that Stop has ended.
var errStopRequested = errors.New("stop requested")

// Runner runs one function in the background. The zero value is ready to use.
//
//	idle ──Start──► running ──(function returns)──► ended ──Start──► running …
//	  └──Stop──► ended
//
// Done belongs to one run: it is closed when that run has ended. The next Start makes a new channel.
type Runner struct {
	mu      sync.Mutex
	running bool
	cancel  context.CancelCauseFunc
	done    chan struct{}
	err     error
}

// Start runs run in a goroutine and returns at once. The context of run keeps the values of ctx, but only Stop ends it.
// What run returns after a call of Stop is the result of Stop. A nil from a run that was not stopped counts as an error,
// because a server must not end by itself.
func (r *Runner) Start(ctx context.Context, run func(ctx context.Context) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running {
		return ErrRunning
	}
	if r.done == nil || isClosed(r.done) {
		r.done = make(chan struct{})
	}
	runCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	r.running, r.cancel, r.err = true, cancel, nil
	done := r.done
	go func() {
		err := run(runCtx)
		stopped := errors.Is(context.Cause(runCtx), errStopRequested)
		if stopped && (errors.Is(err, context.Canceled) || errors.Is(err, errStopRequested)) {
			err = nil
		}
		if !stopped && err == nil {
			err = errors.New("ended without being asked to")
		}
		cancel(nil)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.running, r.err = false, err
		close(done)
	}()
	return nil
}

// Done returns a channel that is closed when the current run has ended, stopped or not.
func (r *Runner) Done() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done == nil {
		r.done = make(chan struct{})
	}
	return r.done
}

// Err returns why the last run ended. It is nil before the first run, during a run and after a successful Stop.
func (r *Runner) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Running returns nil between Start and the end of the run. Otherwise it returns an error that names the state.
func (r *Runner) Running() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.running:
		return nil
	case r.err != nil:
		return fmt.Errorf("has ended: %w", r.err)
	default:
		return errors.New("not running")
	}
}

// Stop ends the run and waits for it until ctx ends. It may be called in any state and more than once. It returns what
// the run returned.
func (r *Runner) Stop(ctx context.Context) error {
	r.mu.Lock()
	if r.done == nil {
		r.done = make(chan struct{})
	}
	if !r.running && !isClosed(r.done) {
		close(r.done) // never started: nothing to wait for
	}
	if r.cancel != nil {
		r.cancel(errStopRequested)
	}
	done := r.done
	r.mu.Unlock()

	select {
	case <-done:
		return r.Err()
	case <-ctx.Done():
		return fmt.Errorf("wait for the end: %w", context.Cause(ctx))
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
