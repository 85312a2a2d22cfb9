package care

import (
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// reconciled is what the last operation means for the condition of former releases. Without an operation nothing is known.
func reconciled(last *gardencorev1beta1.LastOperation) (finding conditions.Finding, known bool) {
	switch state(last) {
	case "":
		return conditions.Finding{}, false
	case gardencorev1beta1.LastOperationStateSucceeded:
		return conditions.True("ReconciliationSucceeded", "The last reconciliation has succeeded."), true
	case gardencorev1beta1.LastOperationStateError, gardencorev1beta1.LastOperationStateFailed, gardencorev1beta1.LastOperationStateAborted:
		return conditions.False("ReconciliationFailed", "The last reconciliation has failed: see the last operation."), true
	default:
		return conditions.Finding{
			Status: gardencorev1beta1.ConditionProgressing, Reason: "ReconciliationInProgress", Message: "A reconciliation is in progress: see the last operation.",
		}, true
	}
}

func state(last *gardencorev1beta1.LastOperation) gardencorev1beta1.LastOperationState {
	if last == nil {
		return ""
	}
	return last.State
}
