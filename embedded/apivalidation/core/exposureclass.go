package core

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"

	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/rules"
)

// longestHandler leaves room for the prefix of the handler's namespace.
const longestHandler = 34

// ValidateExposureClass validates a new ExposureClass.
func ValidateExposureClass(class *core.ExposureClass) field.ErrorList {
	errs := validateObjectMeta(&class.ObjectMeta, false, validateName)
	errs = append(errs, validateDNSLabel(class.Handler, longestHandler, field.NewPath("handler"))...)
	if class.Scheduling != nil {
		errs = append(errs, validateSeedSelector(class.Scheduling.SeedSelector, field.NewPath("scheduling", "seedSelector"))...)
		errs = append(errs, validateTolerations(class.Scheduling.Tolerations, field.NewPath("scheduling", "tolerations"))...)
	}
	return errs
}

// ValidateExposureClassUpdate validates a change.
func ValidateExposureClassUpdate(class, old *core.ExposureClass) field.ErrorList {
	errs := validateObjectMetaUpdate(&class.ObjectMeta, &old.ObjectMeta)
	errs = append(errs, rules.Immutable(class.Handler, old.Handler, field.NewPath("handler"))...)
	return append(errs, rules.Immutable(class.Scheduling, old.Scheduling, field.NewPath("scheduling"))...)
}
