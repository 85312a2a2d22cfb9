package core

import (
	"slices"
	"strings"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// forceable are the error codes that allow a forced deletion, because the user cannot solve the problem otherwise.
var forceable = []core.ErrorCode{
	core.ErrorCleanupClusterResources, core.ErrorConfigurationProblem, core.ErrorInfraDependencies,
	core.ErrorInfraUnauthenticated, core.ErrorInfraUnauthorized,
}

// validateForceDeletion validates the annotation that forces a deletion.
func validateForceDeletion(shoot, old *core.Shoot) field.ErrorList {
	path := field.NewPath("metadata", "annotations").Key(constants.ConfirmationForceDeletion)
	after, before := helper.ConfirmsForcedDeletion(shoot.Annotations), old != nil && helper.ConfirmsForcedDeletion(old.Annotations)
	switch {
	case before && !after:
		return field.ErrorList{field.Forbidden(path, "cannot be taken back")}
	case before || !after:
		return nil
	case shoot.DeletionTimestamp == nil:
		return field.ErrorList{field.Forbidden(path, "needs a cluster that is being deleted")}
	}
	for _, problem := range shoot.Status.LastErrors {
		if slices.ContainsFunc(problem.Codes, func(code core.ErrorCode) bool { return slices.Contains(forceable, code) }) {
			return nil
		}
	}
	return field.ErrorList{field.Forbidden(path, "needs one of these problems: "+join(forceable))}
}

func join[T ~string](list []T) string {
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = string(one)
	}
	return strings.Join(texts, ", ")
}

// validateMigration reports changes of a shoot during its migration to another seed.
func validateMigration(shoot, old *core.Shoot, path *field.Path) field.ErrorList {
	if !helper.Migrates(old) || apiequality.Semantic.DeepEqual(shoot.Spec, old.Spec) {
		return nil
	}
	return field.ErrorList{field.Forbidden(path, "must not be changed while the control plane is migrated")}
}
