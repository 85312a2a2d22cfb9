package lifecycle

import (
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// suffixRetry ends the description of an error that is retried.
const suffixRetry = " Operation will be retried."

// texts are the descriptions of an operation and the reasons of its events.
type texts struct{ start, done, starting, finished, failed string }

var reconciliation = texts{
	"Reconciliation of Shoot cluster initialized.", "Shoot cluster has been successfully reconciled.",
	"Reconciling", "Reconciled", "ReconcileError",
}

var textsOf = map[gardencorev1beta1.LastOperationType]texts{
	gardencorev1beta1.LastOperationTypeDelete: {
		"Deletion of Shoot cluster in progress.", "Shoot cluster has been successfully deleted.",
		"Deleting", "Deleted", "DeleteError",
	},
	gardencorev1beta1.LastOperationTypeMigrate: {
		"Preparation of Shoot cluster for migration initialized.", "Shoot cluster has been successfully prepared for migration.",
		"PrepareMigration", "MigrationPrepared", "MigrationPreparationFailed",
	},
	gardencorev1beta1.LastOperationTypeRestore: {
		"Restoration of Shoot cluster initialized.", "Shoot cluster has been successfully restored.",
		"Reconciling", "Reconciled", "ReconcileError",
	},
}

func of(operation gardencorev1beta1.LastOperationType) texts {
	if found, ok := textsOf[operation]; ok {
		return found
	}
	return reconciliation
}

func startText(operation gardencorev1beta1.LastOperationType) (description, event string) {
	return of(operation).start, of(operation).starting
}

func doneText(operation gardencorev1beta1.LastOperationType) (description, event string) {
	return of(operation).done, of(operation).finished
}

func errorEvent(operation gardencorev1beta1.LastOperationType) string { return of(operation).failed }
