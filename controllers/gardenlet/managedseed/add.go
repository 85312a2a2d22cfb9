package managedseed

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/care"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	seedmanagementv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the garden. A ManagedSeed is also looked at when an operation of its
// shoot has succeeded.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	name := "gardenlet-" + r.SeedName + "-managedseed"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&seedmanagementv1alpha1.ManagedSeed{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&gardencorev1beta1.Shoot{}, handler.EnqueueRequestsFromMapFunc(r.of), builder.WithPredicates(care.Finished())).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

// of finds the ManagedSeed of a shoot.
func (r *Reconciler) of(ctx context.Context, shoot client.Object) []reconcile.Request {
	list := &seedmanagementv1alpha1.ManagedSeedList{}
	if err := r.Garden.List(ctx, list, client.InNamespace(shoot.GetNamespace())); err != nil {
		return nil // the initial list of ManagedSeeds wakes all of them
	}
	for i := range list.Items {
		if wanted := list.Items[i].Spec.Shoot; wanted != nil && wanted.Name == shoot.GetName() {
			return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])}}
		}
	}
	return nil
}
