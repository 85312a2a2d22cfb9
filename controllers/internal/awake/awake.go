// Package awake wakes controllers when the machine has slept: what a queue is to look at after a time waits for a timer, and timers stand still
// meanwhile. It is for controllers whose looks cost requests; others look each wallclock.Look.
package awake

import (
	"context"

	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/gardener-up/gardener-up/embedded/wallclock"
)

// Source enqueues what list returns, each time the clock on the wall has jumped.
func Source(c clock.Clock, list func(context.Context) ([]reconcile.Request, error)) source.Source {
	return source.Func(func(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		go wallclock.Jumps(ctx, c, func() {
			requests, err := list(ctx)
			if err != nil {
				log.FromContext(ctx).Info("Not everything is looked at again after the machine slept", "reason", err.Error())
			}
			for _, request := range requests {
				queue.Add(request)
			}
		})
		return nil
	})
}
