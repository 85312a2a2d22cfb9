// Package retry keeps conflicts out of the log: a write that was refused because its object has changed since it was read is
// no failure, but part of how these controllers work over caches.
package retry

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// delay is about as long as a cache takes to show the change.
const delay = 50 * time.Millisecond

// OnConflict reconciles as the given reconciler does, and again soon after a conflict.
func OnConflict(inner reconcile.Reconciler) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		result, err := inner.Reconcile(ctx, req)
		if apierrors.IsConflict(err) {
			return reconcile.Result{RequeueAfter: delay}, nil
		}
		return result, err
	})
}
