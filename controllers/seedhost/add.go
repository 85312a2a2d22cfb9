package seedhost

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
	"sigs.k8s.io/controller-runtime/pkg/source"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the garden. Of Secrets it watches metadata only.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "seedhost"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		For(&gardencorev1beta1.Seed{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.seedsOf)).
		WatchesRawSource(source.Channel(r.Ended, &handler.EnqueueRequestForObject{})).
		WithOptions(options.Controller()).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

// seedsOf returns the Seeds that refer to a Secret.
func (r *Reconciler) seedsOf(ctx context.Context, secret client.Object) []reconcile.Request {
	seeds := &gardencorev1beta1.SeedList{}
	if err := r.Client.List(ctx, seeds); err != nil {
		return nil // the initial list of Seeds wakes all of them
	}
	var requests []reconcile.Request
	for i := range seeds.Items {
		ref := seeds.Items[i].Spec.SecretRef
		if ref != nil && ref.Name == secret.GetName() && ref.Namespace == secret.GetNamespace() {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&seeds.Items[i])})
		}
	}
	return requests
}
