package shootvalidator

import (
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const complete = 100 // per cent

// checkFinalizer keeps the finalizer until the cluster is gone: without it, nobody would know what is left of it. A Shoot without an identity in its
// status has nothing that could be left: its first operation failed before it began.
func checkFinalizer(shoot, old *core.Shoot) field.ErrorList {
	if old == nil || !slices.Contains(old.Finalizers, constants.GardenerName) || slices.Contains(shoot.Finalizers, constants.GardenerName) {
		return nil
	}
	if old.DeletionTimestamp != nil && old.Status.UID == "" {
		return nil
	}
	last := old.Status.LastOperation
	if last != nil && last.Type == core.LastOperationTypeDelete && last.State == core.LastOperationStateSucceeded && last.Progress == complete {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("metadata", "finalizers"), "the finalizer "+constants.GardenerName+" must stay until the cluster has been deleted")}
}

// checkHibernation lets a cluster fall asleep only if it could wake up again, as far as that is known.
func checkHibernation(shoot, old *core.Shoot) field.ErrorList {
	if old == nil || !helper.HibernationIsEnabled(shoot) || helper.HibernationIsEnabled(old) {
		return nil
	}
	constraint := helper.Condition(old.Status.Constraints, core.ShootHibernationPossible)
	if constraint == nil || constraint.Status == core.ConditionTrue {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("spec", "hibernation", "enabled"), "hibernation is not possible: "+constraint.Message)}
}

// noteRetry lets the maintenance retry a failed operation that a changed spec may have cured. Without confinement, the
// change itself does.
func noteRetry(shoot, old *core.Shoot) {
	if old == nil || !helper.ConfinesChanges(shoot) || apiequality.Semantic.DeepEqual(shoot.Spec, old.Spec) {
		return
	}
	if last := old.Status.LastOperation; last != nil && last.State == core.LastOperationStateFailed {
		annotate(shoot, constants.FailedShootNeedsRetryOperation, "true")
	}
}

func annotate(shoot *core.Shoot, key, value string) {
	if shoot.Annotations == nil {
		shoot.Annotations = map[string]string{}
	}
	shoot.Annotations[key] = value
}
