package core

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"

	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/rules"
)

// ValidateQuota validates a new Quota.
func ValidateQuota(quota *core.Quota) field.ErrorList {
	path := field.NewPath("spec")
	errs := validateObjectMeta(&quota.ObjectMeta, true, validateName)
	errs = append(errs, validateScope(quota.Spec.Scope, path.Child("scope"))...)
	if days := quota.Spec.ClusterLifetimeDays; days != nil && *days < 1 {
		errs = append(errs, field.Invalid(path.Child("clusterLifetimeDays"), *days, "must be greater than 0"))
	}
	for metric, limit := range quota.Spec.Metrics {
		at := path.Child("metrics").Key(string(metric))
		errs = append(errs, oneOf(metric, at, core.QuotaMetricCPU, core.QuotaMetricGPU, core.QuotaMetricMemory,
			core.QuotaMetricStorageStandard, core.QuotaMetricStoragePremium, core.QuotaMetricLoadbalancer)...)
		errs = append(errs, notNegative(limit, at)...)
	}
	return errs
}

func validateScope(scope corev1.ObjectReference, path *field.Path) field.ErrorList {
	return oneOf(scope.APIVersion+" "+scope.Kind, path, "core.gardener.cloud/v1beta1 Project", "v1 Secret",
		"security.gardener.cloud/v1alpha1 WorkloadIdentity")
}

// ValidateQuotaUpdate validates a change.
func ValidateQuotaUpdate(quota, old *core.Quota) field.ErrorList {
	errs := validateObjectMetaUpdate(&quota.ObjectMeta, &old.ObjectMeta)
	errs = append(errs, rules.Immutable(quota.Spec.Scope, old.Spec.Scope, field.NewPath("spec", "scope"))...)
	return append(errs, ValidateQuota(quota)...)
}
