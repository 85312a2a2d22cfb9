package shoot

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// oldWords maps the operation names of the first proposal to the present ones.
var oldWords = map[string]string{
	constants.OperationRotateCAStartLegacy:    constants.OperationRotateCAStart,
	constants.OperationRotateCACompleteLegacy: constants.OperationRotateCAComplete,
}

// inNewWords replaces old operation names with the names that gardenlets know.
func inNewWords(operations []string) []string {
	for i, one := range operations {
		if name, old := oldWords[one]; old {
			operations[i] = name
		}
	}
	return operations
}

// authorityRotations are all operations that change certificate authorities.
var authorityRotations = []string{
	constants.OperationRotateCAStartLegacy, constants.OperationRotateCACompleteLegacy,
	constants.OperationRotateCAStart, constants.OperationRotateCAStartWithoutWorkersRollout, constants.OperationRotateCAComplete,
	constants.OperationRotateCredentialsStart, constants.OperationRotateCredentialsStartWithoutWorkersRollout,
	constants.OperationRotateCredentialsComplete,
}

// validateRotation reports new operations that rotate certificate authorities if the feature is off. A rotation that has
// already started may continue. old is nil for a creation.
func (r Rules) validateRotation(s, old *core.Shoot) field.ErrorList {
	if !r.NoAuthorityRotation {
		return nil
	}
	var errs field.ErrorList
	for _, key := range []string{constants.GardenerOperation, constants.GardenerMaintenanceOperation} {
		asked := s.Annotations[key]
		if asked == "" || old != nil && old.Annotations[key] == asked {
			continue
		}
		for one := range strings.SplitSeq(asked, constants.GardenerOperationsSeparator) {
			if slices.Contains(authorityRotations, one) {
				errs = append(errs, field.Forbidden(field.NewPath("metadata", "annotations").Key(key), "the feature gate ShootCARotation, which "+one+" needs, is off"))
			}
		}
	}
	return errs
}
