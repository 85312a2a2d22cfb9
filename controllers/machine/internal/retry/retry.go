// Package retry keeps conflicts out of the log. A write refused because its object has changed is not a failure, but
// normal for controllers that read from caches.
package retry

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// delay is about the time that a cache needs to show the change.
const delay = 50 * time.Millisecond

// OnConflict wraps a reconciler and retries soon after a conflict.
func OnConflict(inner reconcile.Reconciler) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		result, err := inner.Reconcile(ctx, req)
		if apierrors.IsConflict(err) {
			return reconcile.Result{RequeueAfter: delay}, nil
		}
		return result, err
	})
}
