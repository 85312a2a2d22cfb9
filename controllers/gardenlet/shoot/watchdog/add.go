package watchdog

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/lifecycle"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the garden. Only time wakes it, new specifications, and shoots that have come from
// another seed.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	name := "gardenlet-" + r.SeedName + "-shoot-watchdog"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		For(&gardencorev1beta1.Shoot{}, builder.WithPredicates(r.woken())).
		WithOptions(options.Controller()).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

// woken passes Shoots of the seed. A shoot arrives by a change of its status, when the former seed has released it.
func (r *Reconciler) woken() predicate.Predicate {
	return predicate.And(lifecycle.OfSeed(r.SeedName), predicate.Or(predicate.GenerationChangedPredicate{}, predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			return !lifecycle.OfSeed(r.SeedName).Generic(event.GenericEvent{Object: e.ObjectOld})
		},
	}))
}
