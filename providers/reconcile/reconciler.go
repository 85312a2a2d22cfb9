package reconcile

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

const (
	// conflictRetry is long enough for a cache to receive another client's change.
	conflictRetry = 50 * time.Millisecond
	// holdRetry is the interval between checks whether a Shoot may be worked on again.
	holdRetry = 5 * time.Second
)

// Object is a pointer to an extension kind.
type Object[E any] interface {
	*E
	extensionsv1alpha1.Object
}

// Reconciler applies the extension contract to the objects of one kind.
type Reconciler[T Object[E], E any] struct {
	// Client reads the objects and writes them.
	Client client.Client
	// Reader reads Cluster objects without a cache.
	Reader client.Reader
	// Clock tells the time for the status.
	Clock func() time.Time
	// Options say which objects to act on, and how.
	Options Options[T]
}

// Reconcile carries out the next operation of an object, if any.
func (r *Reconciler[T, E]) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	obj := T(new(E))
	if err := r.Client.Get(ctx, req.NamespacedName, obj); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !r.Options.responsible(obj) {
		return reconcile.Result{}, nil
	}
	if next(obj, nil, r.Options.IgnoreOperationAnnotation) == nothing {
		return reconcile.Result{}, nil // before the Cluster is read, since most objects at a start are done
	}
	cluster, err := contract.GetCluster(ctx, r.Reader, obj.GetNamespace())
	if err != nil {
		return reconcile.Result{}, err
	}
	op := next(obj, cluster, r.Options.IgnoreOperationAnnotation)
	if reason := cluster.OnHold(); reason != "" && op != migrateOp && op != forceDelete {
		log.FromContext(ctx).V(1).Info("Leaving object alone", "reason", reason)
		return reconcile.Result{RequeueAfter: holdRetry}, nil // no event announces changes of the Cluster
	}
	guarded, stop, err := r.guard(ctx, op, cluster, obj)
	if err != nil {
		log.FromContext(ctx).Info("Leaving object alone", "reason", err.Error())
		return reconcile.Result{Requeue: true}, nil // soon, as a new record is published in a moment, and then less and less often
	}
	defer stop()
	if err := r.accept(ctx, obj, op); err != nil {
		return result(err)
	}
	before := obj.DeepCopyObject().(T)
	acted := r.act(guarded, op, cluster, obj)
	if guarded.Err() != nil && ctx.Err() == nil {
		acted = fmt.Errorf("aborted: %w", context.Cause(guarded))
	}
	if err := r.finish(ctx, before, obj, op, acted); err != nil {
		return result(errors.Join(acted, err))
	}
	return result(acted)
}

// accept records that work begins, adds the finalizer and removes the request. It writes nothing if the operation
// was accepted before.
func (r *Reconciler[T, E]) accept(ctx context.Context, obj T, op operation) error {
	before := obj.DeepCopyObject().(T)
	last := obj.GetExtensionStatus().GetLastOperation()
	wanted := typeOf(op, last)
	requestedAnew := op == reconcileOp && obj.GetAnnotations()[operationAnnotation] != ""
	if last == nil || last.Type != wanted || last.State == gardencorev1beta1.LastOperationStateSucceeded || requestedAnew {
		begun(obj, wanted, r.Clock())
	}
	if err := r.saveStatus(ctx, before, obj); err != nil {
		return err
	}
	return r.saveMetadata(ctx, obj, func() {
		if op == reconcileOp {
			removeAnnotation(obj, operationReconcile)
		}
		if op == reconcileOp || op == restoreOp {
			controllerutil.AddFinalizer(obj, contract.Finalizer(obj))
		}
	})
}

// act calls the actuator. A conflict, or an object that is not in the cache yet, is not reported to users as a
// failure.
func (r *Reconciler[T, E]) act(ctx context.Context, op operation, cluster *contract.Cluster, obj T) error {
	err := r.call(ctx, op, cluster, obj)
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return contract.Waiting{For: "others to write: " + err.Error(), Retry: conflictRetry}
	}
	return err
}

func (r *Reconciler[T, E]) call(ctx context.Context, op operation, cluster *contract.Cluster, obj T) error {
	switch op {
	case deleteOp:
		return r.Options.Actuator.Delete(ctx, cluster, obj)
	case forceDelete:
		return r.Options.Actuator.ForceDelete(ctx, cluster, obj)
	case migrateOp:
		return r.Options.Actuator.Migrate(ctx, cluster, obj)
	case restoreOp:
		return r.Options.Actuator.Restore(ctx, cluster, obj)
	}
	return r.Options.Actuator.Reconcile(ctx, cluster, obj)
}

// finish stores the result. When the operation is complete, it removes the finalizer or the annotation.
func (r *Reconciler[T, E]) finish(ctx context.Context, before, obj T, op operation, acted error) error {
	ended(obj, acted, r.Clock())
	if err := r.saveStatus(ctx, before, obj); err != nil || acted != nil {
		return err
	}
	return r.saveMetadata(ctx, obj, func() {
		switch op {
		case deleteOp, forceDelete:
			controllerutil.RemoveFinalizer(obj, contract.Finalizer(obj))
		case migrateOp:
			controllerutil.RemoveFinalizer(obj, contract.Finalizer(obj))
			removeAnnotation(obj, operationMigrate)
		case restoreOp:
			removeAnnotation(obj, operationRestore)
		}
	})
}

// saveStatus is the only place that writes the status; it writes only differences.
func (r *Reconciler[T, E]) saveStatus(ctx context.Context, before, obj T) error {
	patch := client.MergeFrom(before)
	if data, err := patch.Data(obj); err != nil {
		return fmt.Errorf("compare status: %w", err)
	} else if string(data) == "{}" { // what differs in memory only, such as the order of keys, is no difference
		return nil
	}
	if err := r.Client.Status().Patch(ctx, obj, patch); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("store status: %w", err)
	}
	return nil
}

// saveMetadata applies a change to the metadata, unless another client changed the object in the meantime.
func (r *Reconciler[T, E]) saveMetadata(ctx context.Context, obj T, change func()) error {
	before := obj.DeepCopyObject().(T)
	change()
	if reflect.DeepEqual(before, obj) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Patch(ctx, obj, patch); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("store finalizers and annotations: %w", err)
	}
	return nil
}

// result is the only place that decides about requeueing.
func result(err error) (reconcile.Result, error) {
	var waiting contract.Waiting
	switch {
	case err == nil:
		return reconcile.Result{}, nil
	case errors.As(err, &waiting):
		return reconcile.Result{RequeueAfter: waiting.After()}, nil
	case apierrors.IsConflict(err):
		return reconcile.Result{RequeueAfter: conflictRetry}, nil
	case contract.IsPermanent(err):
		return reconcile.Result{}, reconcile.TerminalError(err)
	}
	return reconcile.Result{}, err
}

func hasFinalizer(obj extensionsv1alpha1.Object) bool {
	return controllerutil.ContainsFinalizer(obj, contract.Finalizer(obj))
}

// removeAnnotation removes the operation annotation if it has the value that was acted on.
func removeAnnotation(obj client.Object, value string) {
	annotations := obj.GetAnnotations()
	if annotations[operationAnnotation] != value {
		return
	}
	delete(annotations, operationAnnotation)
	obj.SetAnnotations(annotations)
}
