// Package share divides the objects of a cluster between two druids, so that each object has one. The druid of a landscape knows where the backups of
// its seeds are. The druid of an operator does not know that, and must not make members that run without their store.
package share

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Share is what a druid serves.
type Share string

const (
	// All is everything: there is no other druid.
	All Share = ""
	// Landscape is everything but the etcds of a Garden. Its druid marks the cluster.
	Landscape Share = "landscape"
	// Operator is the etcds of a Garden, and everything else in a cluster that no landscape has marked.
	Operator Share = "operator"
)

// MarkName is the name of the Lease, in the namespace of Gardens, that marks a cluster whose other namespaces the druid of a landscape serves. The mark does
// not expire: an etcd whose landscape rests must not begin without its backups. It goes with the last landscape that leaves.
const MarkName = "gardener-landscape-druid"

const (
	// lookAgain is the interval for looking again whether an object belongs to the share.
	lookAgain = 30 * time.Second
)

// Limit returns a reconciler of a kind that leaves objects outside of a share alone. reader must not be cached.
func Limit[T client.Object](inner reconcile.Reconciler, reader client.Reader, kind T, share Share) reconcile.Reconciler {
	if share == All {
		return inner
	}
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		if serves, err := share.serves(ctx, reader, request.Namespace); err != nil {
			return reconcile.Result{}, err
		} else if !serves {
			return again(ctx, reader, request, kind.DeepCopyObject().(client.Object))
		}
		return inner.Reconcile(ctx, request)
	})
}

func (s Share) serves(ctx context.Context, reader client.Reader, namespace string) (bool, error) {
	if ofGarden := namespace == constants.GardenNamespace; s == Landscape || ofGarden {
		return ofGarden == (s == Operator), nil
	}
	err := reader.Get(ctx, client.ObjectKeyFromObject(lease()), &coordinationv1.Lease{})
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for the druid of a landscape: %w", err)
	}
	return false, nil
}

// again looks later, unless the object is gone.
func again(ctx context.Context, reader client.Reader, request reconcile.Request, object client.Object) (reconcile.Result, error) {
	if err := reader.Get(ctx, request.NamespacedName, object); apierrors.IsNotFound(err) {
		return reconcile.Result{}, nil
	} else if err != nil {
		return reconcile.Result{}, fmt.Errorf("read %T %q, which another druid serves: %w", object, request, err)
	}
	return reconcile.Result{RequeueAfter: lookAgain}, nil
}
