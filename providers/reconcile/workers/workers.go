// Package workers configures how controllers work through their queues: how many objects at a time, and how long they wait after
// errors.
package workers

import (
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Options of one controller. The zero value has the defaults of its manager and of controller-runtime.
type Options struct {
	// Count is how many objects are handled at a time.
	Count int
	// FirstRetry is how long an object waits after its first error. Each further error doubles the wait, up to LastRetry.
	// LastRetry has no effect without FirstRetry.
	FirstRetry, LastRetry time.Duration
}

// Some returns options for count objects at a time, with the waits of controller-runtime.
func Some(count int) Options { return Options{Count: count} }

// Insistent returns options for count objects at a time, each of which is retried at least once a minute. It is for objects whose
// users wait.
func Insistent(count int) Options {
	return Options{Count: count, FirstRetry: 250 * time.Millisecond, LastRetry: time.Minute}
}

// Controller returns the options for the builder of a controller.
func (o Options) Controller() controller.Options { return For[reconcile.Request](o) }

// For returns the options for the builder of a controller with requests of its own type.
func For[Request comparable](o Options) controller.TypedOptions[Request] {
	options := controller.TypedOptions[Request]{MaxConcurrentReconciles: o.Count}
	if o.FirstRetry > 0 {
		options.RateLimiter = workqueue.NewTypedItemExponentialFailureRateLimiter[Request](o.FirstRetry, o.LastRetry)
	}
	return options
}
