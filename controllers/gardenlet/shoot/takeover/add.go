package takeover

import (
	"fmt"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/lifecycle"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the garden.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	name := "gardenlet-" + r.SeedName + "-shoot-takeover"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		For(&gardencorev1beta1.Shoot{}, builder.WithPredicates(r.concerned())).
		WithOptions(options.Controller()).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

// concerned passes Shoots of this seed that begin to move here, or get the annotation. Progress of the other seed is looked at periodically.
func (r *Reconciler) concerned() predicate.Predicate {
	state := func(shoot *gardencorev1beta1.Shoot) [2]bool {
		return [2]bool{lifecycle.Moving(shoot), forced(shoot)}
	}
	here := func(shoot *gardencorev1beta1.Shoot) bool {
		return ptr.Deref(shoot.Spec.SeedName, "") == r.SeedName && state(shoot) != [2]bool{}
	}
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool {
			shoot, ok := e.Object.(*gardencorev1beta1.Shoot)
			return ok && here(shoot)
		},
		UpdateFunc: func(e event.UpdateEvent) bool {
			before, okBefore := e.ObjectOld.(*gardencorev1beta1.Shoot)
			after, okAfter := e.ObjectNew.(*gardencorev1beta1.Shoot)
			return okBefore && okAfter && here(after) && (!here(before) || state(before) != state(after))
		},
		DeleteFunc: func(event.DeleteEvent) bool { return false },
	}
}
