package reconcile

import (
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

const (
	operationAnnotation = "gardener.cloud/operation"

	operationReconcile    = "reconcile"
	operationMigrate      = "migrate"
	operationRestore      = "restore"
	operationWaitForState = "wait-for-state"
)

// operation is the operation that an object needs now.
type operation string

const (
	nothing     operation = ""
	reconcileOp operation = "reconcile"
	deleteOp    operation = "delete"
	forceDelete operation = "force-delete"
	migrateOp   operation = "migrate"
	restoreOp   operation = "restore"
)

// next decides which operation an object needs. Migration comes before deletion, so that nothing is destroyed that
// moves to another seed. Without an annotation only an operation that did not succeed is continued, unless the
// controller ignores annotations and compares the generation.
func next(obj extensionsv1alpha1.Object, cluster *contract.Cluster, ignoreAnnotation bool) operation {
	annotation := obj.GetAnnotations()[operationAnnotation]
	last := obj.GetExtensionStatus().GetLastOperation()
	migrated := last != nil && last.Type == gardencorev1beta1.LastOperationTypeMigrate

	switch {
	case annotation == operationMigrate:
		return migrateOp
	case obj.GetDeletionTimestamp() != nil && !hasFinalizer(obj):
		return nothing
	case obj.GetDeletionTimestamp() != nil && forced(obj, cluster):
		return forceDelete
	case obj.GetDeletionTimestamp() != nil:
		return deleteOp
	case annotation == operationWaitForState:
		return nothing
	case annotation == operationRestore:
		return restoreOp
	case annotation == operationReconcile:
		return reconcileOp
	case migrated:
		return nothing
	case last == nil || last.State != gardencorev1beta1.LastOperationStateSucceeded:
		return reconcileOp
	case ignoreAnnotation && obj.GetExtensionStatus().GetObservedGeneration() != obj.GetGeneration():
		return reconcileOp
	}
	return nothing
}

// forced reports whether the owner of the object accepts leftovers.
func forced(obj extensionsv1alpha1.Object, cluster *contract.Cluster) bool {
	return helper.ConfirmsForcedDeletion(obj.GetAnnotations()) || cluster != nil && cluster.Shoot != nil && helper.DeletionIsForced(cluster.Shoot)
}

// typeOf is the operation's type as shown to users.
func typeOf(op operation, last *gardencorev1beta1.LastOperation) gardencorev1beta1.LastOperationType {
	switch op {
	case deleteOp, forceDelete:
		return gardencorev1beta1.LastOperationTypeDelete
	case migrateOp:
		return gardencorev1beta1.LastOperationTypeMigrate
	case restoreOp:
		return gardencorev1beta1.LastOperationTypeRestore
	}
	if last == nil || last.Type == gardencorev1beta1.LastOperationTypeCreate && last.State != gardencorev1beta1.LastOperationStateSucceeded {
		return gardencorev1beta1.LastOperationTypeCreate
	}
	return gardencorev1beta1.LastOperationTypeReconcile
}
