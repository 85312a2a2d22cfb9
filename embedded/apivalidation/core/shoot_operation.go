package core

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	corehelper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// rotations are operations that may wait for the maintenance window.
var rotations = []string{
	constants.ShootOperationRotateKubeconfigCredentials,
	constants.ShootOperationRotateSSHKeypair,
	constants.ShootOperationRotateObservabilityCredentials,
	constants.OperationRotateCredentialsStart,
	constants.OperationRotateCredentialsStartWithoutWorkersRollout,
	constants.OperationRotateCredentialsComplete,
	constants.OperationRotateCAStart,
	constants.OperationRotateCAStartWithoutWorkersRollout,
	constants.OperationRotateCAComplete,
	constants.OperationRotateCAStartLegacy,
	constants.OperationRotateCACompleteLegacy,
	constants.OperationRotateServiceAccountKeyStart,
	constants.OperationRotateServiceAccountKeyStartWithoutWorkersRollout,
	constants.OperationRotateServiceAccountKeyComplete,
	constants.OperationRotateETCDEncryptionKey,
	constants.OperationRotateETCDEncryptionKeyStart,
	constants.OperationRotateETCDEncryptionKeyComplete,
}

// immediate are operations that cannot wait for the maintenance window.
var immediate = []string{
	constants.ShootOperationRetry,
	constants.ShootOperationMaintain,
	constants.ShootOperationForceInPlaceUpdate,
	constants.GardenerOperationMigrate,
	constants.GardenerOperationRestore,
}

// alone are operations that cannot be combined with others.
var alone = []string{
	constants.GardenerOperationReconcile, constants.ShootOperationRetry, constants.ShootOperationMaintain,
	constants.ShootOperationForceInPlaceUpdate,
}

// sleepless are operations that are impossible during hibernation, because they need the control plane.
var sleepless = []string{
	constants.OperationRotateCredentialsStart, constants.OperationRotateCredentialsStartWithoutWorkersRollout,
	constants.OperationRotateCredentialsComplete,
	constants.OperationRotateETCDEncryptionKey, constants.OperationRotateETCDEncryptionKeyStart,
	constants.OperationRotateETCDEncryptionKeyComplete,
	constants.OperationRotateServiceAccountKeyStart, constants.OperationRotateServiceAccountKeyStartWithoutWorkersRollout,
	constants.OperationRotateServiceAccountKeyComplete,
}

// validateOperations validates the operations for now and for the maintenance window. It compares an operation with the
// phases of rotations only if the operation is new, because the annotation stays until the gardenlet starts the operation.
// old is nil for a creation.
func validateOperations(shoot, old *core.Shoot, path *field.Path) field.ErrorList {
	now, later := shoot.Annotations[constants.GardenerOperation], shoot.Annotations[constants.GardenerMaintenanceOperation]
	isNew := func(key string) bool { return old == nil || shoot.Annotations[key] != old.Annotations[key] }
	errs := validateOperation(shoot, now, true, isNew(constants.GardenerOperation), path.Key(constants.GardenerOperation))
	errs = append(errs, validateOperation(shoot, later, false, isNew(constants.GardenerMaintenanceOperation), path.Key(constants.GardenerMaintenanceOperation))...)
	if now != "" && now == later {
		errs = append(errs, field.Forbidden(path.Key(constants.GardenerMaintenanceOperation), "the same operation is asked for now"))
	}
	return errs
}

func validateOperation(shoot *core.Shoot, operations string, now, isNew bool, path *field.Path) field.ErrorList {
	if operations == "" {
		return nil
	}
	var errs field.ErrorList
	asleep := corehelper.HibernationIsEnabled(shoot) || shoot.Status.IsHibernated
	all := strings.Split(operations, constants.GardenerOperationsSeparator)
	errs = append(errs, unique(all, path, func(s string) string { return s }, "")...)
	for _, operation := range all {
		if len(all) > 1 && slices.Contains(alone, operation) {
			errs = append(errs, field.Forbidden(path, "the operation "+operation+" cannot be asked for together with others"))
		}
		if strings.HasSuffix(operation, "-without-workers-rollout") && slices.ContainsFunc(all, rollsWorkers) {
			errs = append(errs, field.Forbidden(path, "the operation "+operation+" cannot be asked for together with one that rolls workers out"))
		}
		if isNew {
			errs = append(errs, validateRotationPhase(shoot, operation, path)...)
		}
		supported := operation == constants.GardenerOperationReconcile || slices.Contains(rotations, operation) ||
			now && (slices.Contains(immediate, operation) || hasPools(operation))
		if now {
			errs = append(errs, validatePools(shoot, operation, path)...)
		}
		switch {
		case !supported:
			errs = append(errs, field.Invalid(path, operation, "is not a known operation"))
		case asleep && slices.Contains(sleepless, operation):
			errs = append(errs, field.Forbidden(path, "the operation "+operation+" needs a cluster that is awake"))
		}
	}
	return errs
}

// hasPools reports whether an operation names worker pools.
func hasPools(operation string) bool {
	name, pools, ok := strings.Cut(operation, "=")
	return ok && pools != "" && (name == constants.ShootOperationRolloutWorkers || name == constants.ShootOperationRotateRolloutWorkers)
}

// rollsWorkers reports whether an operation is a rotation that begins with new nodes.
func rollsWorkers(operation string) bool {
	return operation == constants.OperationRotateCredentialsStart || operation == constants.OperationRotateCAStart ||
		operation == constants.OperationRotateCAStartLegacy || operation == constants.OperationRotateServiceAccountKeyStart
}

// validatePools reports worker pools in an operation that do not exist in the shoot. Only the operation that rolls out
// workers without a rotation may name all pools with "*".
func validatePools(shoot *core.Shoot, operation string, path *field.Path) field.ErrorList {
	if !hasPools(operation) {
		return nil
	}
	name, pools, _ := strings.Cut(operation, "=")
	if name == constants.ShootOperationRolloutWorkers && pools == "*" {
		return nil
	}
	var errs field.ErrorList
	for _, pool := range strings.Split(pools, ",") {
		if !slices.ContainsFunc(shoot.Spec.Provider.Workers, func(w core.Worker) bool { return w.Name == pool }) {
			errs = append(errs, field.Invalid(path, operation, "there is no worker pool "+strconv.Quote(pool)))
		}
	}
	return errs
}
