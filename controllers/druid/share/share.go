// Package share divides the objects of a cluster between two druids, so that each object has one. The druid of a landscape knows where the backups of
// its seeds are. The druid of an operator does not know that, and must not make members that run without their store.
package share

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
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
// not expire: an etcd whose landscape rests must not begin without its backups.
const MarkName = "gardener-landscape-druid"

const (
	// lookAgain is the interval for looking again whether an object belongs to the share.
	lookAgain = 30 * time.Second
	// renewal is the interval for renewing the mark, and retry that for trying again.
	renewal, retry = time.Minute, 5 * time.Second
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
	err := reader.Get(ctx, client.ObjectKeyFromObject(mark()), &coordinationv1.Lease{})
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

// Marker marks a cluster. All fields are required. It is a runnable of a manager.
type Marker struct {
	Reader client.Reader // uncached
	Client client.Client
	Clock  clock.PassiveClock
}

// Start marks the cluster, and renews the mark until ctx ends. The mark stays.
func (m Marker) Start(ctx context.Context) error {
	for {
		pause := renewal
		if err := m.mark(ctx); err != nil { // the namespace may come later
			log.FromContext(ctx).V(1).Info("Cannot mark the cluster as that of a landscape's druid", "reason", err.Error())
			pause = retry
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
}

func (m Marker) mark(ctx context.Context) error {
	lease := mark()
	err := m.Reader.Get(ctx, client.ObjectKeyFromObject(lease), lease)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("read lease %q: %w", MarkName, err)
	}
	lease.Spec.HolderIdentity, lease.Spec.RenewTime = ptr.To("landscape"), &metav1.MicroTime{Time: m.Clock.Now()}
	if err != nil {
		err = m.Client.Create(ctx, lease)
	} else {
		err = m.Client.Update(ctx, lease)
	}
	if err != nil {
		return fmt.Errorf("write lease %q: %w", MarkName, err)
	}
	return nil
}

func mark() *coordinationv1.Lease {
	return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: constants.GardenNamespace, Name: MarkName}}
}
