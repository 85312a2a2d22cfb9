package seedmanagement

import (
	"slices"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

// ValidateSeedAutoscaler validates a new SeedAutoscaler.
func ValidateSeedAutoscaler(autoscaler *seedmanagement.SeedAutoscaler) field.ErrorList {
	path := field.NewPath("spec")
	spec := &autoscaler.Spec
	errs := validateMeta(&autoscaler.ObjectMeta)
	errs = append(errs, validateScaleTarget(spec.ScaleTargetRef, path.Child("scaleTargetRef"))...)
	errs = append(errs, notNegative(spec.MinReplicas, path.Child("minReplicas"))...)
	switch {
	case spec.MaxReplicas < 1:
		errs = append(errs, field.Invalid(path.Child("maxReplicas"), spec.MaxReplicas, "must be at least 1"))
	case spec.MaxReplicas < ptr.Deref(spec.MinReplicas, 1):
		errs = append(errs, field.Invalid(path.Child("maxReplicas"), spec.MaxReplicas, "must not be less than minReplicas"))
	}
	return append(errs, validateMetrics(spec.Metrics, path.Child("metrics"))...)
}

// ValidateSeedAutoscalerUpdate validates a change.
func ValidateSeedAutoscalerUpdate(autoscaler, old *seedmanagement.SeedAutoscaler) field.ErrorList {
	return append(apivalidation.ValidateObjectMetaUpdate(&autoscaler.ObjectMeta, &old.ObjectMeta, field.NewPath("metadata")),
		ValidateSeedAutoscaler(autoscaler)...)
}

// ValidateSeedAutoscalerStatusUpdate validates a change of the status.
func ValidateSeedAutoscalerStatusUpdate(autoscaler, old *seedmanagement.SeedAutoscaler) field.ErrorList {
	path := field.NewPath("status")
	errs := apivalidation.ValidateObjectMetaUpdate(&autoscaler.ObjectMeta, &old.ObjectMeta, field.NewPath("metadata"))
	errs = append(errs, notNegative(&autoscaler.Status.CurrentReplicas, path.Child("currentReplicas"))...)
	return append(errs, notNegative(&autoscaler.Status.DesiredReplicas, path.Child("desiredReplicas"))...)
}

// validateScaleTarget requires a reference to a ManagedSeedSet.
func validateScaleTarget(target autoscalingv1.CrossVersionObjectReference, path *field.Path) field.ErrorList {
	errs := oneOf(target.APIVersion, path.Child("apiVersion"), seedmanagement.SchemeGroupVersion.String())
	errs = append(errs, oneOf(target.Kind, path.Child("kind"), "ManagedSeedSet")...)
	if target.Name == "" {
		return append(errs, field.Required(path.Child("name"), "must name a set in the same namespace"))
	}
	for _, mistake := range apivalidation.NameIsDNSLabel(target.Name, false) {
		errs = append(errs, field.Invalid(path.Child("name"), target.Name, mistake))
	}
	return errs
}

// validateMetrics reports duplicate metrics: each resource may occur once for each type of target.
func validateMetrics(metrics []seedmanagement.MetricSpec, path *field.Path) field.ErrorList {
	type identity struct {
		name   corev1.ResourceName
		target seedmanagement.MetricTargetType
	}
	var errs field.ErrorList
	seen := map[identity]bool{}
	for i, metric := range metrics {
		path := path.Index(i)
		errs = append(errs, oneOf(metric.Type, path.Child("type"), seedmanagement.ResourceMetricSourceType)...)
		if metric.Resource == nil {
			errs = append(errs, field.Required(path.Child("resource"), "must describe the metric"))
			continue
		}
		path = path.Child("resource")
		errs = append(errs, oneOf(metric.Resource.Name, path.Child("name"), seedmanagement.ResourceShoots)...)
		errs = append(errs, validateMetricTarget(&metric.Resource.Target, path.Child("target"))...)
		id := identity{metric.Resource.Name, metric.Resource.Target.Type}
		if seen[id] {
			errs = append(errs, field.Duplicate(path.Child("target", "type"), id.target))
		}
		seen[id] = true
	}
	return errs
}

// validateMetricTarget requires exactly the value that belongs to the type of the target.
func validateMetricTarget(target *seedmanagement.MetricTarget, path *field.Path) field.ErrorList {
	utilization, value := path.Child("averageUtilization"), path.Child("averageValue")
	errs := oneOf(target.Type, path.Child("type"), seedmanagement.UtilizationMetricType, seedmanagement.AverageValueMetricType)
	switch target.Type {
	case seedmanagement.UtilizationMetricType:
		if target.AverageUtilization == nil {
			errs = append(errs, field.Required(utilization, "must be set for type Utilization"))
		}
		if target.AverageValue != nil {
			errs = append(errs, field.Forbidden(value, "must not be set for type Utilization"))
		}
	case seedmanagement.AverageValueMetricType:
		if target.AverageValue == nil {
			errs = append(errs, field.Required(value, "must be set for type AverageValue"))
		}
		if target.AverageUtilization != nil {
			errs = append(errs, field.Forbidden(utilization, "must not be set for type AverageValue"))
		}
	}
	if target.AverageUtilization != nil && *target.AverageUtilization < 1 {
		errs = append(errs, field.Invalid(utilization, *target.AverageUtilization, "must be at least 1 percent"))
	}
	if target.AverageValue != nil && target.AverageValue.Sign() != 1 {
		errs = append(errs, field.Invalid(value, target.AverageValue.String(), "must be positive"))
	}
	return errs
}

func oneOf[T ~string](value T, path *field.Path, supported ...T) field.ErrorList {
	switch {
	case value == "":
		return field.ErrorList{field.Required(path, "must be set")}
	case !slices.Contains(supported, value):
		return field.ErrorList{field.NotSupported(path, value, supported)}
	}
	return nil
}
