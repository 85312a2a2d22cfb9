package component

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Loop adapts a function that blocks until its context is cancelled (a manager, a renewal loop).
type Loop struct {
	name  string
	run   func(ctx context.Context) error
	ready func(ctx context.Context) error

	mu     sync.Mutex
	cancel context.CancelFunc
	done   chan struct{}
	err    error
}

// NewLoop returns a component that executes run in the background. ready may be nil: the part is then ready at once.
func NewLoop(name string, run, ready func(ctx context.Context) error) *Loop {
	return &Loop{name: name, run: run, ready: ready}
}

// Name implements Component.
func (l *Loop) Name() string { return l.name }

// Start runs the function in the background. A second call is allowed once the first run has ended.
func (l *Loop) Start(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done != nil && !isClosed(l.done) {
		return fmt.Errorf("start %s: it runs already", l.name)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	l.cancel, l.done, l.err = cancel, done, nil
	go func() {
		defer close(done)
		defer cancel()
		err := l.run(ctx)
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			err = nil
		}
		l.mu.Lock()
		l.err = err
		l.mu.Unlock()
	}()
	return nil
}

// Ready implements Component.
func (l *Loop) Ready(ctx context.Context) error {
	if l.ready == nil {
		return nil
	}
	return l.ready(ctx)
}

// Done implements Component.
func (l *Loop) Done() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.done
}

// Stop cancels the function and waits for its return.
func (l *Loop) Stop(ctx context.Context) error {
	l.mu.Lock()
	cancel, done := l.cancel, l.done
	l.mu.Unlock()
	if done == nil {
		return nil
	}
	cancel()
	select {
	case <-done:
	case <-ctx.Done():
		return fmt.Errorf("stop %s: %w", l.name, ctx.Err())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// NewStep returns a component that does one thing while starting, for example writing objects into a cluster, and
// then stays. It is ready once ready says so; both functions may be nil. do is repeated by the next start only; it must be
// idempotent.
func NewStep(name string, do, ready func(ctx context.Context) error) Component {
	return &step{name: name, do: do, ready: ready}
}

type step struct {
	name      string
	do, ready func(ctx context.Context) error
}

func (s *step) Name() string                    { return s.name }
func (s *step) Start(ctx context.Context) error { return call(ctx, s.do) }
func (s *step) Ready(ctx context.Context) error { return call(ctx, s.ready) }
func (s *step) Done() <-chan struct{}           { return nil }
func (s *step) Stop(context.Context) error      { return nil }

func call(ctx context.Context, f func(context.Context) error) error {
	if f == nil {
		return nil
	}
	return f(ctx)
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
