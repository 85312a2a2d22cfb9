package installation

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the garden.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "controllermanager-registration-installation"
	specChanged := builder.WithPredicates(predicate.GenerationChangedPredicate{})
	all := handler.EnqueueRequestsFromMapFunc(r.allSeeds)
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&gardencorev1beta1.Seed{}, specChanged).
		Watches(&gardencorev1beta1.ControllerRegistration{}, all, builder.WithPredicates(predicate.ResourceVersionChangedPredicate{})).
		Watches(&gardencorev1beta1.ControllerInstallation{}, handler.EnqueueRequestsFromMapFunc(seedsOf), specChanged).
		Watches(&gardencorev1beta1.BackupBucket{}, handler.EnqueueRequestsFromMapFunc(seedsOf), specChanged).
		Watches(&gardencorev1beta1.BackupEntry{}, handler.EnqueueRequestsFromMapFunc(seedsOf), specChanged).
		Watches(&gardencorev1beta1.Shoot{}, handler.EnqueueRequestsFromMapFunc(seedsOf), specChanged).
		WatchesMetadata(&corev1.Secret{}, all, builder.WithPredicates(predicate.NewPredicateFuncs(isDomain))).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

func isDomain(secret client.Object) bool {
	return secret.GetNamespace() == gardenNamespace && secret.GetAnnotations()[annotationDNSProvider] != ""
}

func (r *Reconciler) allSeeds(ctx context.Context, _ client.Object) []reconcile.Request {
	seeds := &gardencorev1beta1.SeedList{}
	if err := r.Client.List(ctx, seeds); err != nil {
		return nil // the initial list of Seeds wakes all of them
	}
	requests := make([]reconcile.Request, 0, len(seeds.Items))
	for i := range seeds.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&seeds.Items[i])})
	}
	return requests
}

// seedsOf finds the Seeds of an object. A BackupEntry or Shoot that is being migrated has two.
func seedsOf(_ context.Context, object client.Object) []reconcile.Request {
	var names []*string
	switch object := object.(type) {
	case *gardencorev1beta1.ControllerInstallation:
		if object.Spec.SeedRef != nil {
			names = append(names, &object.Spec.SeedRef.Name)
		}
	case *gardencorev1beta1.BackupBucket:
		names = append(names, object.Spec.SeedName)
	case *gardencorev1beta1.BackupEntry:
		names = append(names, object.Spec.SeedName, object.Status.SeedName)
	case *gardencorev1beta1.Shoot:
		names = append(names, object.Spec.SeedName, object.Status.SeedName)
	}
	var requests []reconcile.Request
	for _, name := range names {
		if name != nil && *name != "" {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKey{Name: *name}})
		}
	}
	return requests
}
