package managers

import (
	"context"
	"errors"
	"testing"
)

// starter stands for a manager.
type starter func(context.Context) error

func (s starter) Start(ctx context.Context) error { return s(ctx) }

func TestManagersEndTogether(t *testing.T) {
	errBoom := errors.New("boom")
	running := make(chan struct{}, 2)
	runs := starter(func(ctx context.Context) error {
		running <- struct{}{}
		<-ctx.Done()
		return nil
	})
	fails := starter(func(context.Context) error {
		<-running
		<-running
		return errBoom
	})
	if err := runAll(t.Context(), runs, fails, runs); !errors.Is(err, errBoom) {
		t.Errorf("when one fails, the error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-running; cancel() }()
	if err := runAll(ctx, runs); err != nil {
		t.Errorf("when it is to end, the error is %v", err)
	}
}
