package lifecycle

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the garden.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	name := "gardenlet-" + r.Settings.SeedName + "-shoot"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		For(&gardencorev1beta1.Shoot{}, builder.WithPredicates(predicate.And(OfSeed(r.Settings.SeedName), Changed()))).
		WithOptions(options.Controller()).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

// OfSeed passes the Shoots that the gardenlet of a seed is responsible for.
func OfSeed(name string) predicate.Predicate {
	return predicate.NewPredicateFuncs(func(object client.Object) bool {
		shoot, ok := object.(*gardencorev1beta1.Shoot)
		return ok && helper.ResponsibleSeed(shoot) == name
	})
}
