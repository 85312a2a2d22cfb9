package core

import (
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"

	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/rules"
)

// ValidateCloudProfile validates a new CloudProfile.
func ValidateCloudProfile(profile *core.CloudProfile) field.ErrorList {
	errs := validateObjectMeta(&profile.ObjectMeta, false, validateName)
	return append(errs, ValidateCloudProfileSpec(&profile.Spec, field.NewPath("spec"))...)
}

// ValidateCloudProfileSpec validates the specification of a profile, or of a merged NamespacedCloudProfile.
func ValidateCloudProfileSpec(spec *core.CloudProfileSpec, path *field.Path) field.ErrorList {
	errs := required(spec.Type, path.Child("type"), "must name a provider")
	errs = append(errs, ValidateBundle(spec.CABundle, path.Child("caBundle"))...)
	errs = append(errs, validateImagesForMachines(spec, path.Child("machineTypes"))...)
	errs = append(errs, validateProfileBastion(spec, path.Child("bastion"))...)
	errs = append(errs, validateCapabilities(spec.MachineCapabilities, path.Child("machineCapabilities"))...)
	errs = append(errs, validateKubernetesVersions(spec.Kubernetes.Versions, path.Child("kubernetes", "versions"))...)
	errs = append(errs, notEmpty(spec.MachineImages, path.Child("machineImages"))...)
	errs = append(errs, validateMachineImages(spec.MachineImages, path.Child("machineImages"))...)
	errs = append(errs, notEmpty(spec.MachineTypes, path.Child("machineTypes"))...)
	errs = append(errs, validateMachineTypes(spec.MachineTypes, path.Child("machineTypes"))...)
	errs = append(errs, validateVolumeTypes(spec.VolumeTypes, path.Child("volumeTypes"))...)
	errs = append(errs, validateStorage(spec, path)...)
	errs = append(errs, notEmpty(spec.Regions, path.Child("regions"))...)
	errs = append(errs, validateRegions(spec.Regions, path.Child("regions"))...)
	errs = append(errs, validateLimits(spec.Limits, path.Child("limits"))...)
	return append(errs, validateSeedSelector(spec.SeedSelector, path.Child("seedSelector"))...)
}

// ValidateCloudProfileUpdate validates a change.
func ValidateCloudProfileUpdate(profile, old *core.CloudProfile) field.ErrorList {
	errs := validateObjectMetaUpdate(&profile.ObjectMeta, &old.ObjectMeta)
	errs = append(errs, rules.Immutable(profile.Spec.Type, old.Spec.Type, field.NewPath("spec", "type"))...)
	errs = append(errs, limitsDoNotSink(profile.Spec.Limits, old.Spec.Limits, field.NewPath("spec", "limits"))...)
	return append(errs, ValidateCloudProfile(profile)...)
}

// validateKubernetesVersions requires at least one version, and at most one supported patch version per minor version.
func validateKubernetesVersions(versions []core.ExpirableVersion, path *field.Path) field.ErrorList {
	errs := notEmpty(versions, path)
	errs = append(errs, unique(versions, path, func(v core.ExpirableVersion) string { return v.Version }, "version")...)
	supported := map[[2]uint]bool{}
	var latest *version.Version
	latestAt := -1
	for i, one := range versions {
		at := path.Index(i)
		parsed, err := version.ParseSemantic(one.Version)
		if err != nil {
			errs = append(errs, field.Invalid(at.Child("version"), one.Version, "must be a semantic version"))
			continue
		}
		errs = append(errs, validateClassification(one.Classification, at.Child("classification"))...)
		errs = append(errs, validateLifecycleStages(one, at)...)
		if latest == nil || latest.LessThan(parsed) {
			latest, latestAt = parsed, i
		}
		if one.Classification == nil || *one.Classification != core.ClassificationSupported {
			continue
		}
		minor := [2]uint{parsed.Major(), parsed.Minor()}
		if supported[minor] {
			errs = append(errs, field.Forbidden(at.Child("classification"), "only one version of a minor can be supported"))
		}
		supported[minor] = true
	}
	if latestAt >= 0 && versions[latestAt].ExpirationDate != nil {
		errs = append(errs, field.Forbidden(path.Index(latestAt).Child("expirationDate"), "the latest version must not expire"))
	}
	return errs
}

func validateClassification(classification *core.VersionClassification, path *field.Path) field.ErrorList {
	if classification == nil {
		return nil
	}
	return oneOf(*classification, path, core.ClassificationUnavailable, core.ClassificationPreview, core.ClassificationSupported,
		core.ClassificationDeprecated, core.ClassificationExpired)
}

func validateRegions(regions []core.Region, path *field.Path) field.ErrorList {
	errs := unique(regions, path, func(r core.Region) string { return r.Name }, "name")
	for i, region := range regions {
		at := path.Index(i)
		errs = append(errs, required(region.Name, at.Child("name"), "must not be empty")...)
		errs = append(errs, metav1validation.ValidateLabels(region.Labels, at.Child("labels"))...)
		errs = append(errs, validateAccessRestrictions(region.AccessRestrictions, func(r core.AccessRestriction) string { return r.Name }, at.Child("accessRestrictions"))...)
		errs = append(errs, unique(region.Zones, at.Child("zones"), func(z core.AvailabilityZone) string { return z.Name }, "name")...)
		for j, zone := range region.Zones {
			errs = append(errs, uniqueText(zone.UnavailableMachineTypes, at.Child("zones").Index(j).Child("unavailableMachineTypes"))...)
			errs = append(errs, uniqueText(zone.UnavailableVolumeTypes, at.Child("zones").Index(j).Child("unavailableVolumeTypes"))...)
			errs = append(errs, required(zone.Name, at.Child("zones").Index(j).Child("name"), "must not be empty")...)
		}
	}
	return errs
}

func validateLimits(limits *core.Limits, path *field.Path) field.ErrorList {
	if nodes := maxNodes(limits); nodes != nil && *nodes < 1 {
		return field.ErrorList{field.Invalid(path.Child("maxNodesTotal"), *nodes, "must be greater than 0")}
	}
	return nil
}

func limitsDoNotSink(limits, old *core.Limits, path *field.Path) field.ErrorList {
	if after, before := maxNodes(limits), maxNodes(old); after != nil && before != nil && *after < *before {
		return field.ErrorList{field.Invalid(path.Child("maxNodesTotal"), *after, "must not be decreased")}
	}
	return nil
}

func maxNodes(limits *core.Limits) *int32 {
	if limits == nil {
		return nil
	}
	return limits.MaxNodesTotal
}

func notEmpty[T any](list []T, path *field.Path) field.ErrorList {
	if len(list) > 0 {
		return nil
	}
	return field.ErrorList{field.Required(path, "must have at least one entry")}
}
