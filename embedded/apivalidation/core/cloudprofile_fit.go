package core

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// validateImagesForMachines reports machine types without an image of their architecture. Profiles with capabilities are
// skipped, because capabilities decide there.
func validateImagesForMachines(spec *core.CloudProfileSpec, path *field.Path) field.ErrorList {
	if len(spec.MachineCapabilities) > 0 || len(spec.MachineImages) == 0 {
		return nil
	}
	var served []string
	for _, image := range spec.MachineImages {
		for _, version := range image.Versions {
			served = append(served, version.Architectures...)
		}
	}
	var errs field.ErrorList
	for i, machine := range spec.MachineTypes {
		if machine.Architecture != nil && !slices.Contains(served, *machine.Architecture) {
			errs = append(errs, field.Invalid(path.Index(i).Child("architecture"), *machine.Architecture, "must be the architecture of a machine image"))
		}
	}
	return errs
}

// validateProfileBastion reports bastions with machine types or images that the profile does not have.
func validateProfileBastion(spec *core.CloudProfileSpec, path *field.Path) field.ErrorList {
	if spec.Bastion == nil {
		return nil
	}
	var errs field.ErrorList
	if machine := spec.Bastion.MachineType; machine != nil &&
		!slices.ContainsFunc(spec.MachineTypes, func(m core.MachineType) bool { return m.Name == machine.Name }) {
		errs = append(errs, field.Invalid(path.Child("machineType", "name"), machine.Name, "must be a machine type of the profile"))
	}
	wanted := spec.Bastion.MachineImage
	if wanted == nil {
		return errs
	}
	at := slices.IndexFunc(spec.MachineImages, func(i core.MachineImage) bool { return i.Name == wanted.Name })
	if at < 0 {
		return append(errs, field.Invalid(path.Child("machineImage", "name"), wanted.Name, "must be a machine image of the profile"))
	}
	if version := ptr.Deref(wanted.Version, ""); version != "" &&
		!slices.ContainsFunc(spec.MachineImages[at].Versions, func(v core.MachineImageVersion) bool { return v.Version == version }) {
		errs = append(errs, field.Invalid(path.Child("machineImage", "version"), version, "must be a version of the image "+wanted.Name))
	}
	return errs
}

// reservedCapabilities is the prefix of capabilities that only Gardener may define.
const reservedCapabilities = "gardener-"

func validateCapabilities(capabilities []core.CapabilityDefinition, path *field.Path) field.ErrorList {
	errs := unique(capabilities, path, func(c core.CapabilityDefinition) string { return c.Name }, "name")
	if len(capabilities) > 0 && !slices.ContainsFunc(capabilities, func(c core.CapabilityDefinition) bool { return c.Name == "architecture" }) {
		errs = append(errs, field.Required(path, "must describe the capability architecture"))
	}
	for i, capability := range capabilities {
		errs = append(errs, required(capability.Name, path.Index(i).Child("name"), "must not be empty")...)
		if strings.HasPrefix(capability.Name, reservedCapabilities) {
			errs = append(errs, field.Invalid(path.Index(i).Child("name"), capability.Name, "must not begin with "+reservedCapabilities))
		}
		errs = append(errs, notEmpty(capability.Values, path.Index(i).Child("values"))...)
		errs = append(errs, uniqueText(capability.Values, path.Index(i).Child("values"))...)
	}
	return errs
}

// validateLifecycleStages validates the lifecycle of a version, which replaces classification and expiration date.
func validateLifecycleStages(version core.ExpirableVersion, path *field.Path) field.ErrorList {
	if len(version.Lifecycle) == 0 {
		return nil
	}
	var errs field.ErrorList
	if version.Classification != nil || version.ExpirationDate != nil {
		errs = append(errs, field.Forbidden(path.Child("lifecycle"), "must not be set together with classification or expirationDate"))
	}
	path = path.Child("lifecycle")
	for i, stage := range version.Lifecycle {
		errs = append(errs, validateClassification(&stage.Classification, path.Index(i).Child("classification"))...)
		if i > 0 && stage.StartTime == nil {
			errs = append(errs, field.Required(path.Index(i).Child("startTime"), "must be set except for the first stage"))
		}
		if i > 0 && stage.StartTime != nil && version.Lifecycle[i-1].StartTime != nil && !version.Lifecycle[i-1].StartTime.Before(stage.StartTime) {
			errs = append(errs, field.Invalid(path.Index(i).Child("startTime"), stage.StartTime.String(), "must be after that of the stage before"))
		}
	}
	return errs
}
