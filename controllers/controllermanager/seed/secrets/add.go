package secrets

import (
	"context"
	"fmt"
	"strings"

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

// AddToManager adds the controller to the manager of the garden. Of Secrets it watches metadata only.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "controllermanager-seed-secrets"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&gardencorev1beta1.Seed{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.seedsOf), builder.WithPredicates(predicate.NewPredicateFuncs(relevant))).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

func relevant(secret client.Object) bool {
	_, hasRole := secret.GetLabels()[labelRole]
	return secret.GetNamespace() == gardenNamespace || (hasRole && strings.HasPrefix(secret.GetNamespace(), namespacePrefix))
}

// seedsOf returns all Seeds for an original, and the Seed of the copy for a copy.
func (r *Reconciler) seedsOf(ctx context.Context, secret client.Object) []reconcile.Request {
	if seed, isCopy := strings.CutPrefix(secret.GetNamespace(), namespacePrefix); isCopy {
		return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: seed}}}
	}
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
