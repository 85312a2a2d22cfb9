package core

import (
	"regexp"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// versionRange is one comparison of a version, or several separated by commas, spaces or ||.
var versionRange = regexp.MustCompile(`^\s*((=|!=|>|<|>=|<=|~|~>|\^)?\s*v?\d+(\.(\d+|[xX*])){0,2}(-[0-9A-Za-z.-]+)?(\s*(,|\|\|)\s*|\s+|$))+$`)

func validateMachineImages(images []core.MachineImage, path *field.Path) field.ErrorList {
	errs := unique(images, path, func(i core.MachineImage) string { return i.Name }, "name")
	for i, image := range images {
		at := path.Index(i)
		errs = append(errs, required(image.Name, at.Child("name"), "must not be empty")...)
		errs = append(errs, notEmpty(image.Versions, at.Child("versions"))...)
		errs = append(errs, unique(image.Versions, at.Child("versions"), func(v core.MachineImageVersion) string { return v.Version }, "version")...)
		for j := range image.Versions {
			errs = append(errs, validateImageVersion(&image.Versions[j], at.Child("versions").Index(j))...)
		}
		if image.UpdateStrategy != nil {
			errs = append(errs, oneOf(*image.UpdateStrategy, at.Child("updateStrategy"),
				core.UpdateStrategyPatch, core.UpdateStrategyMinor, core.UpdateStrategyMajor)...)
		}
	}
	return errs
}

func validateImageVersion(image *core.MachineImageVersion, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if _, err := version.ParseSemantic(image.Version); err != nil {
		errs = append(errs, field.Invalid(path.Child("version"), image.Version, "must be a semantic version"))
	}
	errs = append(errs, validateClassification(image.Classification, path.Child("classification"))...)
	errs = append(errs, validateLifecycleStages(image.ExpirableVersion, path)...)
	if constraint := image.KubeletVersionConstraint; constraint != nil {
		if !versionRange.MatchString(*constraint) {
			errs = append(errs, field.Invalid(path.Child("kubeletVersionConstraint"), *constraint, "must be a range of versions, for example >= 1.26"))
		}
	}
	if updates := image.InPlaceUpdates; updates != nil && updates.MinVersionForUpdate != nil {
		if _, err := version.ParseSemantic(*updates.MinVersionForUpdate); err != nil {
			errs = append(errs, field.Invalid(path.Child("inPlaceUpdates", "minVersionForUpdate"), *updates.MinVersionForUpdate, "must be a semantic version"))
		}
	}
	errs = append(errs, unique(image.CRI, path.Child("cri"), func(c core.CRI) string { return string(c.Name) }, "name")...)
	for i, cri := range image.CRI {
		at := path.Child("cri").Index(i)
		errs = append(errs, oneOf(cri.Name, at.Child("name"), core.CRINameContainerD, core.CRINameDocker)...)
		errs = append(errs, unique(cri.ContainerRuntimes, at.Child("containerRuntimes"),
			func(r core.ContainerRuntime) string { return r.Type }, "type")...)
	}
	for i, architecture := range image.Architectures {
		errs = append(errs, oneOf(architecture, path.Child("architectures").Index(i), core.ArchitectureAMD64, core.ArchitectureARM64)...)
	}
	return errs
}

func validateMachineTypes(machines []core.MachineType, path *field.Path) field.ErrorList {
	errs := unique(machines, path, func(m core.MachineType) string { return m.Name }, "name")
	for i, machine := range machines {
		at := path.Index(i)
		errs = append(errs, required(machine.Name, at.Child("name"), "must not be empty")...)
		errs = append(errs, notNegative(machine.CPU, at.Child("cpu"))...)
		errs = append(errs, notNegative(machine.GPU, at.Child("gpu"))...)
		errs = append(errs, notNegative(machine.Memory, at.Child("memory"))...)
		if machine.Architecture != nil {
			errs = append(errs, oneOf(*machine.Architecture, at.Child("architecture"), core.ArchitectureAMD64, core.ArchitectureARM64)...)
		}
		if storage := machine.Storage; storage != nil {
			errs = append(errs, required(storage.Class, at.Child("storage", "class"), "must not be empty")...)
			errs = append(errs, required(storage.Type, at.Child("storage", "type"), "must not be empty")...)
			errs = append(errs, notNegativeQuantities(at.Child("storage"), namedQuantity{"size", storage.StorageSize}, namedQuantity{"minSize", storage.MinSize})...)
		}
		if storage := machine.Storage; storage != nil && (storage.StorageSize == nil) == (storage.MinSize == nil) {
			errs = append(errs, field.Invalid(at.Child("storage"), "", "must have either size or minSize"))
		}
	}
	return errs
}

// validateStorage reports machine types with storage of a fixed size in a profile with volume types. Storage with only a
// minimum size may be combined with volume types.
func validateStorage(spec *core.CloudProfileSpec, path *field.Path) field.ErrorList {
	if len(spec.VolumeTypes) == 0 {
		return nil
	}
	var errs field.ErrorList
	for i, machine := range spec.MachineTypes {
		if machine.Storage != nil && machine.Storage.StorageSize != nil {
			errs = append(errs, field.Forbidden(path.Child("machineTypes").Index(i).Child("storage", "size"), "must not be set together with volumeTypes"))
		}
	}
	return errs
}

func validateVolumeTypes(volumes []core.VolumeType, path *field.Path) field.ErrorList {
	errs := unique(volumes, path, func(v core.VolumeType) string { return v.Name }, "name")
	for i, volume := range volumes {
		errs = append(errs, required(volume.Name, path.Index(i).Child("name"), "must not be empty")...)
		errs = append(errs, notNegativeQuantities(path.Index(i), namedQuantity{"minSize", volume.MinSize})...)
		errs = append(errs, required(volume.Class, path.Index(i).Child("class"), "must not be empty")...)
	}
	return errs
}

func notNegative(quantity resource.Quantity, path *field.Path) field.ErrorList {
	if quantity.Sign() >= 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, quantity.String(), "must not be negative")}
}
