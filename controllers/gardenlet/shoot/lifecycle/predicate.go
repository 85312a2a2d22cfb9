package lifecycle

import (
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Changed passes events about changes that users and other controllers request, but not changes of the status, most of
// which this controller writes itself.
func Changed() predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			before, okBefore := e.ObjectOld.(*gardencorev1beta1.Shoot)
			after, okAfter := e.ObjectNew.(*gardencorev1beta1.Shoot)
			if !okBefore || !okAfter {
				return false
			}
			switch {
			case before.Generation != after.Generation,
				(before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil),
				ptr.Deref(before.Spec.SeedName, "") != ptr.Deref(after.Spec.SeedName, ""):
				return true
			}
			for _, key := range []string{constants.GardenerOperation, constants.ShootIgnore, constants.ShootSyncPeriod, constants.ConfirmationDeletion} {
				if before.Annotations[key] != after.Annotations[key] && after.Annotations[key] != "" {
					return true
				}
			}
			return before.Annotations[constants.ShootIgnore] != after.Annotations[constants.ShootIgnore]
		},
		DeleteFunc: func(event.DeleteEvent) bool { return false },
	}
}
