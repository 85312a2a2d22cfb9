package runtimecluster

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// yieldPeriod is the interval for looking again whether a Garden is still there.
const yieldPeriod = 30 * time.Second

// Yield returns a reconciler that leaves objects of a kind alone while the cluster contains a Garden, whose operator runs the same controller. If
// yields is not set, it returns inner. reader must not be cached.
func Yield[T client.Object](inner reconcile.Reconciler, reader client.Reader, kind T, yields bool) reconcile.Reconciler {
	if !yields {
		return inner
	}
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		if garden, err := Garden(ctx, reader); err != nil {
			return reconcile.Result{}, err
		} else if garden != "" {
			return again(ctx, reader, request, kind.DeepCopyObject().(client.Object))
		}
		return inner.Reconcile(ctx, request)
	})
}

// again looks later, unless the object is gone.
func again(ctx context.Context, reader client.Reader, request reconcile.Request, object client.Object) (reconcile.Result, error) {
	if err := reader.Get(ctx, request.NamespacedName, object); apierrors.IsNotFound(err) {
		return reconcile.Result{}, nil
	} else if err != nil {
		return reconcile.Result{}, fmt.Errorf("read %T %q, which the operator of a Garden handles: %w", object, request, err)
	}
	return reconcile.Result{RequeueAfter: yieldPeriod}, nil
}
