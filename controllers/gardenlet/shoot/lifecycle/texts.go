package lifecycle

import (
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Descriptions of the last operation.
const (
	descriptionStart       = "Reconciliation of Shoot cluster initialized."
	descriptionStartDelete = "Deletion of Shoot cluster in progress."
	descriptionDone        = "Shoot cluster has been successfully reconciled."
	descriptionDeleted     = "Shoot cluster has been successfully deleted."
	suffixRetry            = " Operation will be retried."
)

// Reasons of events.
const (
	eventReconciling    = "Reconciling"
	eventReconciled     = "Reconciled"
	eventReconcileError = "ReconcileError"
	eventNotMoved       = "ControlPlaneNotMoved"
	eventDeleting       = "Deleting"
	eventDeleted        = "Deleted"
	eventDeleteError    = "DeleteError"
)

func startText(operation gardencorev1beta1.LastOperationType) (description, event string) {
	if operation == gardencorev1beta1.LastOperationTypeDelete {
		return descriptionStartDelete, eventDeleting
	}
	return descriptionStart, eventReconciling
}

func doneText(operation gardencorev1beta1.LastOperationType) (description, event string) {
	if operation == gardencorev1beta1.LastOperationTypeDelete {
		return descriptionDeleted, eventDeleted
	}
	return descriptionDone, eventReconciled
}

func errorEvent(operation gardencorev1beta1.LastOperationType) string {
	if operation == gardencorev1beta1.LastOperationTypeDelete {
		return eventDeleteError
	}
	return eventReconcileError
}
