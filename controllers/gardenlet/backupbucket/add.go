package backupbucket

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the garden.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	name := "gardenlet-" + r.SeedName + "-backupbucket"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&gardencorev1beta1.BackupBucket{}, builder.WithPredicates(predicate.NewPredicateFuncs(r.ours), predicate.GenerationChangedPredicate{})).
		Watches(&gardencorev1beta1.BackupEntry{}, handler.EnqueueRequestsFromMapFunc(bucketOf), builder.WithPredicates(deletionOnly())).
		WatchesRawSource(source.Kind(r.SeedCache, &extensionsv1alpha1.BackupBucket{},
			handler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, bucket *extensionsv1alpha1.BackupBucket) []reconcile.Request {
				return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: bucket.Name}}}
			}))).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

func (r *Reconciler) ours(object client.Object) bool {
	bucket, ok := object.(*gardencorev1beta1.BackupBucket)
	return ok && bucket.Spec.SeedName != nil && *bucket.Spec.SeedName == r.SeedName
}

func bucketOf(_ context.Context, object client.Object) []reconcile.Request {
	entry, ok := object.(*gardencorev1beta1.BackupEntry)
	if !ok {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: entry.Spec.BucketName}}}
}

func deletionOnly() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		UpdateFunc:  func(event.UpdateEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}
