package core

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// ValidateShootState validates a new ShootState.
func ValidateShootState(state *core.ShootState) field.ErrorList {
	path := field.NewPath("spec")
	errs := validateObjectMeta(&state.ObjectMeta, true, validateName)
	errs = append(errs, unique(state.Spec.Gardener, path.Child("gardener"), func(d core.GardenerResourceData) string { return d.Name }, "name")...)
	for i, data := range state.Spec.Gardener {
		errs = append(errs, required(data.Name, path.Child("gardener").Index(i).Child("name"), "must not be empty")...)
		errs = append(errs, required(data.Type, path.Child("gardener").Index(i).Child("type"), "must not be empty")...)
	}
	errs = append(errs, unique(state.Spec.Extensions, path.Child("extensions"), func(e core.ExtensionResourceState) string {
		return strings.Join([]string{e.Kind, ptr.Deref(e.Name, ""), ptr.Deref(e.Purpose, "")}, " ")
	}, "")...)
	errs = append(errs, unique(state.Spec.Resources, path.Child("resources"), func(r core.ResourceData) string {
		return strings.Join([]string{r.APIVersion, r.Kind, r.Name}, " ")
	}, "")...)
	for i, extension := range state.Spec.Extensions {
		at := path.Child("extensions").Index(i)
		errs = append(errs, required(extension.Kind, at.Child("kind"), "must not be empty")...)
		errs = append(errs, validateResources(extension.Resources, at.Child("resources"))...)
	}
	for i, resource := range state.Spec.Resources {
		at := path.Child("resources").Index(i)
		errs = append(errs, required(resource.Kind, at.Child("kind"), "must not be empty")...)
		errs = append(errs, required(resource.Name, at.Child("name"), "must not be empty")...)
	}
	return errs
}

// ValidateShootStateUpdate validates a change.
func ValidateShootStateUpdate(state, old *core.ShootState) field.ErrorList {
	return append(validateObjectMetaUpdate(&state.ObjectMeta, &old.ObjectMeta), ValidateShootState(state)...)
}
