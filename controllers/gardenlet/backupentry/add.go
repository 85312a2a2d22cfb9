package backupentry

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
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
	name := "gardenlet-" + r.SeedName + "-backupentry"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&gardencorev1beta1.BackupEntry{}, builder.WithPredicates(
			predicate.NewPredicateFuncs(func(object client.Object) bool {
				entry, ok := object.(*gardencorev1beta1.BackupEntry)
				return ok && r.ours(entry)
			}),
			predicate.Or[client.Object](predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}),
		)).
		Watches(&gardencorev1beta1.BackupBucket{}, handler.EnqueueRequestsFromMapFunc(r.entriesOf)).
		WatchesRawSource(source.Kind(r.SeedCache, &extensionsv1alpha1.BackupEntry{},
			handler.TypedEnqueueRequestsFromMapFunc(func(ctx context.Context, inSeed *extensionsv1alpha1.BackupEntry) []reconcile.Request {
				return r.inGarden(ctx, inSeed.Name)
			}))).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

func (r *Reconciler) ours(entry *gardencorev1beta1.BackupEntry) bool {
	return entry.Spec.SeedName != nil && Holder(entry) == r.SeedName
}

// inGarden finds the entries with the name. Names contain the UID of the shoot, so there is at most one.
func (r *Reconciler) inGarden(ctx context.Context, name string) []reconcile.Request {
	return r.find(ctx, func(entry *gardencorev1beta1.BackupEntry) bool { return entry.Name == name })
}

// entriesOf finds the entries that may be waiting for the bucket.
func (r *Reconciler) entriesOf(ctx context.Context, bucket client.Object) []reconcile.Request {
	return r.find(ctx, func(entry *gardencorev1beta1.BackupEntry) bool {
		return r.ours(entry) && entry.Spec.BucketName == bucket.GetName()
	})
}

func (r *Reconciler) find(ctx context.Context, matches func(*gardencorev1beta1.BackupEntry) bool) []reconcile.Request {
	list := &gardencorev1beta1.BackupEntryList{}
	if err := r.Garden.List(ctx, list); err != nil {
		return nil // the initial list of entries wakes all of them
	}
	var requests []reconcile.Request
	for i := range list.Items {
		if matches(&list.Items[i]) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
		}
	}
	return requests
}
