package lifecycle

import (
	"time"

	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/rotation"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Moving reports whether the Shoot has been assigned to another seed than the one with its control plane.
func Moving(shoot *gardencorev1beta1.Shoot) bool {
	held, wanted := ptr.Deref(shoot.Status.SeedName, ""), ptr.Deref(shoot.Spec.SeedName, "")
	return held != "" && wanted != "" && held != wanted
}

// restores reports whether the shoot has left its former seed, and is to be restored or is being restored.
func restores(shoot *gardencorev1beta1.Shoot) bool {
	last := shoot.Status.LastOperation
	switch {
	case last == nil:
		return false
	case shoot.Status.SeedName == nil && shoot.Status.UID != "": // whatever a seed that has lost it wrote last
		return shoot.Spec.SeedName != nil
	case helper.IsReleased(last):
		return true
	}
	return last.Type == gardencorev1beta1.LastOperationTypeRestore && last.State != gardencorev1beta1.LastOperationStateSucceeded
}

// OperationType is the type of the next operation. A migration comes first: a shoot between two seeds can only be restored. A creation
// that has not succeeded stays a creation.
func OperationType(shoot *gardencorev1beta1.Shoot) gardencorev1beta1.LastOperationType {
	last := shoot.Status.LastOperation
	switch {
	case Moving(shoot):
		return gardencorev1beta1.LastOperationTypeMigrate
	case restores(shoot):
		return gardencorev1beta1.LastOperationTypeRestore
	case shoot.DeletionTimestamp != nil:
		return gardencorev1beta1.LastOperationTypeDelete
	case last == nil:
		return gardencorev1beta1.LastOperationTypeCreate
	case last.Type == gardencorev1beta1.LastOperationTypeCreate && last.State != gardencorev1beta1.LastOperationStateSucceeded:
		return gardencorev1beta1.LastOperationTypeCreate
	}
	return gardencorev1beta1.LastOperationTypeReconcile
}

// Ignored reports whether the Shoot must be left alone. Only operators may request that, unless users are allowed to.
func Ignored(shoot *gardencorev1beta1.Shoot, respectUsers bool) bool {
	return shoot.Annotations[constants.ShootIgnore] == "true" && (respectUsers || shoot.Namespace == constants.GardenNamespace)
}

// GivenUp reports whether the last operation failed permanently and nothing has changed since.
func GivenUp(shoot *gardencorev1beta1.Shoot, version string) bool {
	last := shoot.Status.LastOperation
	return last != nil && last.State == gardencorev1beta1.LastOperationStateFailed &&
		shoot.Status.ObservedGeneration == shoot.Generation && shoot.Status.Gardener.Version == version &&
		!(shoot.DeletionTimestamp != nil && last.Type != gardencorev1beta1.LastOperationTypeDelete)
}

// NextRun returns how long to wait until the Shoot is due; zero means now. An unfinished or changed Shoot is due. Another
// version of Gardener waits for the maintenance window, since it restarts the control plane. So does the regular run of a Shoot whose
// changes are confined to the window: it would make them.
func NextRun(shoot *gardencorev1beta1.Shoot, version string, syncPeriod time.Duration, now time.Time) time.Duration {
	last := shoot.Status.LastOperation
	switch {
	case shoot.DeletionTimestamp != nil, last == nil, last.State != gardencorev1beta1.LastOperationStateSucceeded:
		return 0
	case Moving(shoot), restores(shoot):
		return 0
	case requested(shoot) != "":
		return 0
	case shoot.Status.ObservedGeneration != shoot.Generation:
		return 0
	case shoot.Status.Gardener.Version != version && !continues(shoot):
		return UntilMaintenance(shoot, now)
	}
	wait := last.LastUpdateTime.Add(untilSync(shoot, syncPeriod)).Sub(now)
	if wait <= 0 && helper.ConfinesChanges(shoot) && !continues(shoot) {
		return UntilMaintenance(shoot, now)
	}
	return max(0, wait)
}

// continuePause is the pause before the run that goes on with a rotation by itself.
const continuePause = 2 * time.Second

// untilSync is the time between the end of a successful operation and the next reconciliation without a change.
func untilSync(shoot *gardencorev1beta1.Shoot, configured time.Duration) time.Duration {
	if continues(shoot) {
		return continuePause
	}
	return SyncPeriod(shoot, configured)
}

// continues reports whether a rotation goes on by itself.
func continues(shoot *gardencorev1beta1.Shoot) bool {
	return rotation.Unfinished(&shoot.Status) && !helper.HibernationIsEnabled(shoot)
}

// UntilMaintenance returns how long it takes until the maintenance window; zero inside of it, and without a window.
func UntilMaintenance(shoot *gardencorev1beta1.Shoot, now time.Time) time.Duration {
	if shoot.Spec.Maintenance == nil || shoot.Spec.Maintenance.TimeWindow == nil {
		return 0
	}
	window, err := helper.ParseTimeWindow(*shoot.Spec.Maintenance.TimeWindow)
	if err != nil || window.Contains(now) {
		return 0
	}
	return window.NextBegin(now).Sub(now)
}

// SyncPeriod is the configured period, or a longer one that the Shoot requests.
func SyncPeriod(shoot *gardencorev1beta1.Shoot, configured time.Duration) time.Duration {
	if wanted, err := time.ParseDuration(shoot.Annotations[constants.ShootSyncPeriod]); err == nil {
		return max(wanted, configured)
	}
	return configured
}

// NewRetryCycle reports whether the time limit for retries starts again.
func NewRetryCycle(shoot *gardencorev1beta1.Shoot, operation gardencorev1beta1.LastOperationType, version string) bool {
	last := shoot.Status.LastOperation
	return shoot.Status.RetryCycleStartTime == nil || shoot.Status.ObservedGeneration != shoot.Generation ||
		shoot.Status.Gardener.Version != version || last == nil || last.State == gardencorev1beta1.LastOperationStateFailed ||
		(other(operation) && last.Type != operation)
}

// other reports whether an operation is another task than the reconciliation before it.
func other(operation gardencorev1beta1.LastOperationType) bool {
	return operation == gardencorev1beta1.LastOperationTypeDelete || operation == gardencorev1beta1.LastOperationTypeMigrate || operation == gardencorev1beta1.LastOperationTypeRestore
}
