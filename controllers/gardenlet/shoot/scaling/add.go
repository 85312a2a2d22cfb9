package scaling

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/lifecycle"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the garden. Time wakes it, and shoots that come to the seed.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	name := "gardenlet-" + r.SeedName + "-shoot-scaling"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		For(&gardencorev1beta1.Shoot{}, builder.WithPredicates(predicate.And(lifecycle.OfSeed(r.SeedName), predicate.GenerationChangedPredicate{}))).
		WithOptions(options.Controller()).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}
