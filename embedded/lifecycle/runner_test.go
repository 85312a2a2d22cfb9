package lifecycle_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/lifecycle"
)

var errBoom = errors.New("boom")

func untilDone(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestRunner(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()

	t.Run("stop before start closes done and may be repeated", func(t *testing.T) {
		var r lifecycle.Runner
		done := r.Done()
		for range 2 {
			if err := r.Stop(ctx); err != nil {
				t.Fatalf("stop: %v", err)
			}
		}
		<-done
	})

	t.Run("the end of the start context does not end the run", func(t *testing.T) {
		var r lifecycle.Runner
		startCtx, endStart := context.WithCancel(ctx)
		if err := r.Start(startCtx, untilDone); err != nil {
			t.Fatal(err)
		}
		endStart()
		if err := r.Running(); err != nil {
			t.Fatalf("running: %v", err)
		}
		if err := r.Start(ctx, untilDone); !errors.Is(err, lifecycle.ErrRunning) {
			t.Fatalf("second start: got %v", err)
		}
		if err := r.Stop(ctx); err != nil {
			t.Fatalf("stop: %v", err)
		}
		if err := r.Running(); err == nil {
			t.Fatal("still running after stop")
		}
	})

	t.Run("a run that ends by itself tells why", func(t *testing.T) {
		var r lifecycle.Runner
		if err := r.Start(ctx, func(context.Context) error { return errBoom }); err != nil {
			t.Fatal(err)
		}
		<-r.Done()
		if !errors.Is(r.Err(), errBoom) || !errors.Is(r.Running(), errBoom) || !errors.Is(r.Stop(ctx), errBoom) {
			t.Fatalf("got %v", r.Err())
		}
	})

	t.Run("a nil from a run that nobody stopped is an error", func(t *testing.T) {
		var r lifecycle.Runner
		_ = r.Start(ctx, func(context.Context) error { return nil })
		<-r.Done()
		if r.Err() == nil {
			t.Fatal("no error")
		}
	})

	t.Run("it starts again after an end, with a new done", func(t *testing.T) {
		var r lifecycle.Runner
		_ = r.Start(ctx, func(context.Context) error { return errBoom })
		<-r.Done()
		if err := r.Start(ctx, untilDone); err != nil {
			t.Fatal(err)
		}
		select {
		case <-r.Done():
			t.Fatal("done is closed although it runs")
		default:
		}
		if err := r.Stop(ctx); err != nil {
			t.Fatal(err)
		}
	})

	t.Run("stop gives up when its context ends", func(t *testing.T) {
		var r lifecycle.Runner
		release := make(chan struct{})
		_ = r.Start(ctx, func(context.Context) error { <-release; return nil })
		short, end := context.WithTimeout(ctx, 10*time.Millisecond)
		defer end()
		if err := r.Stop(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v", err)
		}
		close(release)
		if err := r.Stop(ctx); err != nil {
			t.Fatal(err)
		}
	})
}
