package core

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"

	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/rules"
)

// ValidateSecretBinding validates a new SecretBinding.
func ValidateSecretBinding(binding *core.SecretBinding) field.ErrorList {
	errs := validateObjectMeta(&binding.ObjectMeta, true, validateName)
	errs = append(errs, validateSecretReference(binding.SecretRef, field.NewPath("secretRef"))...)
	errs = append(errs, validateQuotaReferences(binding.Quotas, field.NewPath("quotas"))...)
	if binding.Provider == nil {
		return append(errs, field.Required(field.NewPath("provider"), "must name a provider"))
	}
	return append(errs, required(binding.Provider.Type, field.NewPath("provider", "type"), "must name a provider")...)
}

// ValidateSecretBindingUpdate validates a change.
func ValidateSecretBindingUpdate(binding, old *core.SecretBinding) field.ErrorList {
	errs := validateObjectMetaUpdate(&binding.ObjectMeta, &old.ObjectMeta)
	errs = append(errs, rules.Immutable(binding.SecretRef, old.SecretRef, field.NewPath("secretRef"))...)
	errs = append(errs, rules.Immutable(binding.Quotas, old.Quotas, field.NewPath("quotas"))...)
	if binding.Provider != nil {
		errs = append(errs, required(binding.Provider.Type, field.NewPath("provider", "type"), "must name a provider")...)
	}
	return append(errs, immutableOnceSet(binding.Provider, old.Provider, field.NewPath("provider"))...)
}

func validateQuotaReferences(quotas []corev1.ObjectReference, path *field.Path) field.ErrorList {
	errs := unique(quotas, path, func(q corev1.ObjectReference) string { return q.Namespace + "/" + q.Name }, "")
	for i, quota := range quotas {
		errs = append(errs, required(quota.Name, path.Index(i).Child("name"), "must name a Quota")...)
	}
	return errs
}
