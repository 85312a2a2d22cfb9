// Package loop turns a function that blocks until its context ends, such as a manager or a renewal, into a component. It is
// built on package lifecycle, as the servers are.
package loop

import (
	"context"
	"fmt"

	"github.com/gardener-up/gardener-up/embedded/lifecycle"
)

// Loop implements component.Component.
type Loop struct {
	name   string
	run    func(ctx context.Context) error
	ready  func(ctx context.Context) error
	runner lifecycle.Runner
}

// New returns a component that runs the function run in the background. With a nil ready, the component is ready at once.
func New(name string, run, ready func(ctx context.Context) error) *Loop {
	return &Loop{name: name, run: run, ready: ready}
}

// Name implements Component.
func (l *Loop) Name() string { return l.name }

// Start runs the function in the background. A second call is allowed once the first run has ended.
func (l *Loop) Start(ctx context.Context) error {
	if err := l.runner.Start(ctx, l.run); err != nil {
		return fmt.Errorf("start %s: %w", l.name, err)
	}
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
func (l *Loop) Done() <-chan struct{} { return l.runner.Done() }

// Stop ends the context of the function and waits for its return. It returns what the function returned.
func (l *Loop) Stop(ctx context.Context) error { return l.runner.Stop(ctx) }
