package core

import (
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"

	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/rules"
)

// ValidateControllerInstallation validates a new ControllerInstallation.
func ValidateControllerInstallation(installation *core.ControllerInstallation) field.ErrorList {
	path := field.NewPath("spec")
	spec := &installation.Spec
	errs := validateObjectMeta(&installation.ObjectMeta, false, apivalidation.NameIsDNSSubdomain)
	errs = append(errs, required(spec.RegistrationRef.Name, path.Child("registrationRef", "name"), "must name a ControllerRegistration")...)
	switch {
	case spec.SeedRef != nil && spec.ShootRef != nil:
		errs = append(errs, field.Forbidden(path.Child("shootRef"), "must not be set together with seedRef"))
	case spec.SeedRef == nil && spec.ShootRef == nil:
		errs = append(errs, field.Required(path.Child("seedRef"), "must name a Seed"))
	case spec.SeedRef != nil:
		errs = append(errs, required(spec.SeedRef.Name, path.Child("seedRef", "name"), "must name a Seed")...)
	default:
		errs = append(errs, required(spec.ShootRef.Name, path.Child("shootRef", "name"), "must name a Shoot")...)
	}
	return errs
}

// ValidateControllerInstallationUpdate validates a change.
func ValidateControllerInstallationUpdate(installation, old *core.ControllerInstallation) field.ErrorList {
	path := field.NewPath("spec")
	errs := validateObjectMetaUpdate(&installation.ObjectMeta, &old.ObjectMeta)
	errs = append(errs, rules.Immutable(installation.Spec.RegistrationRef.Name, old.Spec.RegistrationRef.Name, path.Child("registrationRef", "name"))...)
	if installation.Spec.SeedRef != nil && old.Spec.SeedRef != nil {
		errs = append(errs, rules.Immutable(installation.Spec.SeedRef.Name, old.Spec.SeedRef.Name, path.Child("seedRef", "name"))...)
	}
	return append(errs, ValidateControllerInstallation(installation)...)
}
