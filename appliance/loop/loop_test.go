package loop

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/gardener-up/gardener-up/appliance/component"
)

var _ component.Component = (*Loop)(nil)

var errBoom = errors.New("boom")

// TestMain fails if the tests leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestLoopReportsWhyItEnded(t *testing.T) {
	l := New("loop", func(context.Context) error { return errBoom }, nil)
	if err := l.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-l.Done()
	if err := l.Stop(t.Context()); !errors.Is(err, errBoom) {
		t.Errorf("got %v, want the reason", err)
	}
}

func TestLoopStartsAgainOnceItHasEnded(t *testing.T) {
	l := New("loop", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, nil)
	for range 2 {
		if err := l.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := l.Start(t.Context()); err == nil {
			t.Error("started while it ran")
		}
		if err := l.Stop(t.Context()); err != nil {
			t.Errorf("stop: %v", err)
		}
	}
}
