package core

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"

	corehelper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"

	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/rules"
)

// ValidateNamespacedCloudProfile validates a new NamespacedCloudProfile. Admission compares it with its parent.
func ValidateNamespacedCloudProfile(profile *core.NamespacedCloudProfile) field.ErrorList {
	path := field.NewPath("spec")
	spec := &profile.Spec
	errs := validateObjectMeta(&profile.ObjectMeta, true, validateName)
	errs = append(errs, oneOf(spec.Parent.Kind, path.Child("parent", "kind"), corehelper.KindCloudProfile)...)
	errs = append(errs, required(spec.Parent.Name, path.Child("parent", "name"), "must name a cloud profile")...)
	errs = append(errs, ValidateBundle(spec.CABundle, path.Child("caBundle"))...)
	errs = append(errs, validateMachineTypes(spec.MachineTypes, path.Child("machineTypes"))...)
	errs = append(errs, validateVolumeTypes(spec.VolumeTypes, path.Child("volumeTypes"))...)
	errs = append(errs, validateMachineImages(spec.MachineImages, path.Child("machineImages"))...)
	if spec.Kubernetes != nil {
		errs = append(errs, unique(spec.Kubernetes.Versions, path.Child("kubernetes", "versions"),
			func(v core.ExpirableVersion) string { return v.Version }, "version")...)
		errs = append(errs, notEmpty(spec.Kubernetes.Versions, path.Child("kubernetes", "versions"))...)
		for i, one := range spec.Kubernetes.Versions {
			at := path.Child("kubernetes", "versions").Index(i)
			if _, err := version.ParseSemantic(one.Version); err != nil {
				errs = append(errs, field.Invalid(at.Child("version"), one.Version, "must be a semantic version"))
			}
			errs = append(errs, validateClassification(one.Classification, at.Child("classification"))...)
			errs = append(errs, validateLifecycleStages(one, at)...)
		}
	}
	return append(errs, validateLimits(spec.Limits, path.Child("limits"))...)
}

// ValidateNamespacedCloudProfileUpdate validates a change.
func ValidateNamespacedCloudProfileUpdate(profile, old *core.NamespacedCloudProfile) field.ErrorList {
	errs := validateObjectMetaUpdate(&profile.ObjectMeta, &old.ObjectMeta)
	errs = append(errs, rules.Immutable(profile.Spec.Parent, old.Spec.Parent, field.NewPath("spec", "parent"))...)
	errs = append(errs, limitsDoNotSink(profile.Spec.Limits, old.Spec.Limits, field.NewPath("spec", "limits"))...)
	return append(errs, ValidateNamespacedCloudProfile(profile)...)
}
