package healthcheck

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/reconcile"
)

const (
	// checkTimeout limits one check, so that what it has found can still be written.
	checkTimeout = 30 * time.Second
	// soon is the interval while the condition has been bad for less than recent: things may recover in a moment.
	soon   = 3 * time.Second
	recent = time.Minute
	// conflictRetry is long enough for a cache to receive another client's change.
	conflictRetry = 50 * time.Millisecond
)

// Check returns the health of what the object stands for. It may write what it measures into status.providerStatus, and changes nothing
// else. It is called for objects that were made successfully, of Shoots that are awake. An error means that it could not look.
type Check[T extensionsv1alpha1.Object] func(ctx context.Context, cluster *contract.Cluster, obj T) (Finding, error)

// Reconciler keeps one condition of the objects of one kind.
type Reconciler[T reconcile.Object[E], E any] struct {
	// Client reads the objects and writes them.
	Client client.Client
	// Reader reads Cluster objects without a cache.
	Reader client.Reader
	// Clock tells the time for conditions.
	Clock func() time.Time
	// Options say which objects to check, and how.
	Options Options[T]
}

// Reconcile checks one object and writes the condition.
func (r *Reconciler[T, E]) Reconcile(ctx context.Context, req ctrlreconcile.Request) (ctrlreconcile.Result, error) {
	obj := T(new(E))
	if err := r.Client.Get(ctx, req.NamespacedName, obj); err != nil {
		return ctrlreconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !reconcile.Responsible(obj, r.Options.Types, r.Options.Classes) || !Made(obj) {
		return ctrlreconcile.Result{}, nil // the end of its operation wakes the object
	}
	cluster, err := contract.GetCluster(ctx, r.Reader, obj.GetNamespace())
	if err != nil {
		return ctrlreconcile.Result{}, err
	}
	if cluster.Hibernated() {
		return ctrlreconcile.Result{RequeueAfter: r.Options.Period}, nil
	}
	before := obj.DeepCopyObject().(T)
	if err := r.save(ctx, before, obj, r.check(ctx, cluster, obj)); apierrors.IsConflict(err) {
		return ctrlreconcile.Result{RequeueAfter: conflictRetry}, nil
	} else if err != nil {
		return ctrlreconcile.Result{}, err
	}
	return ctrlreconcile.Result{RequeueAfter: r.next(obj)}, nil
}

// check never reports health that it did not see.
func (r *Reconciler[T, E]) check(ctx context.Context, cluster *contract.Cluster, obj T) Finding {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	finding, err := r.Options.Check(ctx, cluster, obj)
	if err != nil {
		return Finding{Status: gardencorev1beta1.ConditionUnknown, Reason: "CheckFailed", Message: fmt.Sprintf("The health is unknown: %v", err)}
	}
	return finding
}

// save writes the condition and the provider status, unless another client has changed the object in the meantime.
func (r *Reconciler[T, E]) save(ctx context.Context, before, obj T, finding Finding) error {
	status := obj.GetExtensionStatus()
	conditions, changed := with(status.GetConditions(), r.Options.Condition, finding, r.Clock())
	if changed {
		status.SetConditions(conditions)
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if data, err := client.MergeFrom(before).Data(obj); err != nil {
		return fmt.Errorf("compare status: %w", err)
	} else if string(data) == "{}" {
		return nil
	}
	if err := r.Client.Status().Patch(ctx, obj, patch); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("store health of %s: %w", contract.Kind(obj), err)
	}
	return nil
}

// next is the pause until the next check.
func (r *Reconciler[T, E]) next(obj T) time.Duration {
	condition := find(obj.GetExtensionStatus().GetConditions(), r.Options.Condition)
	if condition != nil && condition.Status != gardencorev1beta1.ConditionTrue && r.Clock().Sub(condition.LastTransitionTime.Time) < recent {
		return min(soon, r.Options.Period)
	}
	return r.Options.Period
}

// Made reports whether there is something to check: not before it was made for the first time, and not while it goes or moves to
// another seed.
func Made(obj extensionsv1alpha1.Object) bool {
	last := obj.GetExtensionStatus().GetLastOperation()
	if last == nil || obj.GetDeletionTimestamp() != nil {
		return false
	}
	switch last.Type {
	case gardencorev1beta1.LastOperationTypeReconcile:
		return true
	case gardencorev1beta1.LastOperationTypeCreate, gardencorev1beta1.LastOperationTypeRestore:
		return last.State == gardencorev1beta1.LastOperationStateSucceeded
	}
	return false
}
