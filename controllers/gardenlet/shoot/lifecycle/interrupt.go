package lifecycle

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	// interruptPeriod is how often the cache is asked whether a running operation has become pointless.
	interruptPeriod = 500 * time.Millisecond
	// stuckAfter is how long no step of an operation starts or ends before a newer generation interrupts it. An operation
	// that makes progress is finished first, so that frequent changes of a Shoot do not keep it from ever being ready.
	stuckAfter = 30 * time.Second
)

// pointlessError is the cause of an operation's end that is neither a success nor a failure. The next operation follows at
// once, and continues with what the interrupted one has left.
type pointlessError struct{ reason string }

func (e *pointlessError) Error() string { return "the operation was interrupted: " + e.reason }

// pointless says why a running operation has become pointless by a newer state of its Shoot; nil if it has not.
func pointless(running, current *gardencorev1beta1.Shoot, now time.Time) error {
	if running.DeletionTimestamp == nil && current.DeletionTimestamp != nil {
		return &pointlessError{reason: "the shoot is being deleted"}
	}
	if !helper.DeletionIsForced(running) && helper.DeletionIsForced(current) {
		return &pointlessError{reason: "its deletion is forced"}
	}
	if seed := helper.ResponsibleSeed(current); seed != helper.ResponsibleSeed(running) {
		return &pointlessError{reason: fmt.Sprintf("seed %q is responsible for the shoot now", seed)}
	}
	last := current.Status.LastOperation
	if current.Generation != running.Generation && last != nil && now.Sub(last.LastUpdateTime.Time) >= stuckAfter {
		return &pointlessError{reason: fmt.Sprintf("it made no progress for %s, and the shoot has changed", stuckAfter)}
	}
	return nil
}

// interruptible returns a context that ends with a pointlessError when the operation that runs for the Shoot becomes
// pointless. end must be called. It waits until the watching goroutine has ended.
func (r *Reconciler) interruptible(parent context.Context, shoot *gardencorev1beta1.Shoot) (ctx context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(parent)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(interruptPeriod)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			current := &gardencorev1beta1.Shoot{}
			err := r.Garden.Get(ctx, client.ObjectKeyFromObject(shoot), current)
			if apierrors.IsNotFound(err) { // the cache has the shoots of this seed only
				cancel(&pointlessError{reason: "the shoot is not on this seed any longer"})
			}
			if err != nil {
				continue // the operation itself reports what is wrong with the garden
			}
			if err := pointless(shoot, current, r.Clock.Now()); err != nil {
				cancel(err)
			}
		}
	}()
	return ctx, func() {
		cancel(context.Canceled)
		<-done
	}
}
