package hibernation

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the garden.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "controllermanager-shoot-hibernation"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&gardencorev1beta1.Shoot{}, builder.WithPredicates(predicate.Funcs{
			CreateFunc: func(e event.CreateEvent) bool { return hasSchedules(e.Object.(*gardencorev1beta1.Shoot)) },
			UpdateFunc: schedulesChanged,
			DeleteFunc: func(event.DeleteEvent) bool { return false },
		})).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

func schedulesChanged(e event.UpdateEvent) bool {
	return !equality.Semantic.DeepEqual(schedules(e.ObjectOld.(*gardencorev1beta1.Shoot)), schedules(e.ObjectNew.(*gardencorev1beta1.Shoot)))
}

func schedules(shoot *gardencorev1beta1.Shoot) []gardencorev1beta1.HibernationSchedule {
	if shoot.Spec.Hibernation == nil {
		return nil
	}
	return shoot.Spec.Hibernation.Schedules
}
