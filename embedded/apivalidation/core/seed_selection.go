package core

import (
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func validateSeedSelector(selector *core.SeedSelector, path *field.Path) field.ErrorList {
	if selector == nil {
		return nil
	}
	options := metav1validation.LabelSelectorValidationOptions{AllowInvalidLabelValueInSelector: false}
	return metav1validation.ValidateLabelSelector(&selector.LabelSelector, options, path)
}

func validateTolerations(tolerations []core.Toleration, path *field.Path) field.ErrorList {
	errs := unique(tolerations, path, func(t core.Toleration) string { return keyValue(t.Key, t.Value) }, "")
	for i, toleration := range tolerations {
		errs = append(errs, validateTaintKey(toleration.Key, path.Index(i).Child("key"))...)
	}
	return errs
}

func validateTaints(taints []core.SeedTaint, path *field.Path) field.ErrorList {
	errs := unique(taints, path, func(t core.SeedTaint) string { return keyValue(t.Key, t.Value) }, "")
	for i, taint := range taints {
		errs = append(errs, validateTaintKey(taint.Key, path.Index(i).Child("key"))...)
	}
	return errs
}

func validateTaintKey(key string, path *field.Path) field.ErrorList {
	if key == "" {
		return field.ErrorList{field.Required(path, "must not be empty")}
	}
	var errs field.ErrorList
	for _, problem := range validation.IsQualifiedName(key) {
		errs = append(errs, field.Invalid(path, key, problem))
	}
	return errs
}

func keyValue(key string, value *string) string {
	if value == nil {
		return key
	}
	return key + "=" + *value
}
