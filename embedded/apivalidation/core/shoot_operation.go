package core

import (
	"slices"
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

// immediate are operations that a user can ask for now only.
var immediate = []string{
	constants.ShootOperationRetry,
	constants.ShootOperationMaintain,
	constants.ShootOperationForceInPlaceUpdate,
	constants.GardenerOperationMigrate,
	constants.GardenerOperationRestore,
}

// sleepless are operations that need the control plane awake.
var sleepless = []string{
	constants.OperationRotateCredentialsStart, constants.OperationRotateCredentialsStartWithoutWorkersRollout,
	constants.OperationRotateCredentialsComplete,
	constants.OperationRotateETCDEncryptionKey, constants.OperationRotateETCDEncryptionKeyStart,
	constants.OperationRotateETCDEncryptionKeyComplete,
	constants.OperationRotateServiceAccountKeyStart, constants.OperationRotateServiceAccountKeyStartWithoutWorkersRollout,
	constants.OperationRotateServiceAccountKeyComplete,
}

// validateOperations validates the operations asked for now and in the maintenance window.
func validateOperations(shoot *core.Shoot, path *field.Path) field.ErrorList {
	now, later := shoot.Annotations[constants.GardenerOperation], shoot.Annotations[constants.GardenerMaintenanceOperation]
	errs := validateOperation(shoot, now, true, path.Key(constants.GardenerOperation))
	errs = append(errs, validateOperation(shoot, later, false, path.Key(constants.GardenerMaintenanceOperation))...)
	if now != "" && now == later {
		errs = append(errs, field.Forbidden(path.Key(constants.GardenerMaintenanceOperation), "the same operation is asked for now"))
	}
	return errs
}

func validateOperation(shoot *core.Shoot, operations string, now bool, path *field.Path) field.ErrorList {
	if operations == "" {
		return nil
	}
	var errs field.ErrorList
	asleep := corehelper.HibernationIsEnabled(shoot) || shoot.Status.IsHibernated
	for _, operation := range strings.Split(operations, constants.GardenerOperationsSeparator) {
		supported := operation == constants.GardenerOperationReconcile || slices.Contains(rotations, operation) ||
			now && (slices.Contains(immediate, operation) || hasPools(operation))
		switch {
		case !supported:
			errs = append(errs, field.Invalid(path, operation, "is not a known operation"))
		case asleep && slices.Contains(sleepless, operation):
			errs = append(errs, field.Forbidden(path, "the operation "+operation+" needs a cluster that is awake"))
		}
	}
	return errs
}

// hasPools recognises operations that name worker pools.
func hasPools(operation string) bool {
	name, pools, ok := strings.Cut(operation, "=")
	return ok && pools != "" && (name == constants.ShootOperationRolloutWorkers || name == constants.ShootOperationRotateRolloutWorkers)
}
