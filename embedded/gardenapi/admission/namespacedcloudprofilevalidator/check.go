package namespacedcloudprofilevalidator

import (
	"fmt"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// check returns what of the profile does not go with the parent and was not there before.
func check(profile, before *core.NamespacedCloudProfileSpec, parent *core.CloudProfileSpec) field.ErrorList {
	path := field.NewPath("spec")
	errs := kubernetes(profile, before, parent, path.Child("kubernetes", "versions"))
	errs = append(errs, images(profile.MachineImages, before.MachineImages, parent.MachineImages, path.Child("machineImages"))...)
	errs = append(errs, redefined(profile.MachineTypes, before.MachineTypes, parent.MachineTypes,
		func(t core.MachineType) string { return t.Name }, "machine type", path.Child("machineTypes"))...)
	errs = append(errs, redefined(profile.VolumeTypes, before.VolumeTypes, parent.VolumeTypes,
		func(t core.VolumeType) string { return t.Name }, "volume type", path.Child("volumeTypes"))...)
	return append(errs, limits(profile.Limits, before.Limits, parent.Limits, path.Child("limits"))...)
}

func kubernetes(profile, before *core.NamespacedCloudProfileSpec, parent *core.CloudProfileSpec, path *field.Path) field.ErrorList {
	if profile.Kubernetes == nil {
		return nil
	}
	key := func(v core.ExpirableVersion) string { return v.Version }
	offered := byKey(parent.Kubernetes.Versions, key)
	var known map[string]core.ExpirableVersion
	if before.Kubernetes != nil {
		known = byKey(before.Kubernetes.Versions, key)
	}
	var errs field.ErrorList
	for i, one := range profile.Kubernetes.Versions {
		if old, ok := known[one.Version]; ok && apiequality.Semantic.DeepEqual(old, one) {
			continue
		}
		at := path.Index(i)
		original, ok := offered[one.Version]
		switch {
		case !ok:
			errs = append(errs, field.Invalid(at.Child("version"), one.Version, "must be a version of the parent"))
		case one.ExpirationDate == nil:
			errs = append(errs, field.Required(at.Child("expirationDate"), "is all that a profile can change of a version of its parent"))
		default:
			errs = append(errs, later(one, original, at)...)
		}
		if one.Classification != nil || len(one.Lifecycle) > 0 {
			errs = append(errs, field.Forbidden(at, "the stages of a version are the parent's"))
		}
	}
	return errs
}

func images(list, before, parent []core.MachineImage, path *field.Path) field.ErrorList {
	name := func(i core.MachineImage) string { return i.Name }
	version := func(v core.MachineImageVersion) string { return v.Version }
	offered, known := byKey(parent, name), byKey(before, name)
	var errs field.ErrorList
	for i, image := range list {
		versions, old := byKey(offered[image.Name].Versions, version), byKey(known[image.Name].Versions, version)
		for j, one := range image.Versions {
			original, ok := versions[one.Version]
			if was, same := old[one.Version]; !ok || same && apiequality.Semantic.DeepEqual(was, one) {
				continue
			}
			errs = append(errs, later(one.ExpirableVersion, original.ExpirableVersion, path.Index(i).Child("versions").Index(j))...)
		}
	}
	return errs
}

// later wants a version to live longer than the parent lets it. Where the parent sets no end, the project may.
func later(one, original core.ExpirableVersion, path *field.Path) field.ErrorList {
	if one.ExpirationDate == nil || original.ExpirationDate == nil || !one.ExpirationDate.Before(original.ExpirationDate) {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("expirationDate"), one.ExpirationDate,
		fmt.Sprintf("must not be before that of the parent, %s", original.ExpirationDate.UTC().Format("2006-01-02T15:04:05Z")))}
}

// redefined wants new entries to have names that the parent has not.
func redefined[T any](list, before, parent []T, name func(T) string, what string, path *field.Path) field.ErrorList {
	offered, known := byKey(parent, name), byKey(before, name)
	var errs field.ErrorList
	for i, one := range list {
		_, taken := offered[name(one)]
		if old, was := known[name(one)]; taken && !(was && apiequality.Semantic.DeepEqual(old, one)) {
			errs = append(errs, field.Forbidden(path.Index(i), fmt.Sprintf("%s %s is defined by the parent", what, name(one))))
		}
	}
	return errs
}

func limits(own, before, parent *core.Limits, path *field.Path) field.ErrorList {
	if own == nil || own.MaxNodesTotal == nil || parent == nil || parent.MaxNodesTotal == nil || *own.MaxNodesTotal <= *parent.MaxNodesTotal ||
		apiequality.Semantic.DeepEqual(own, before) {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("maxNodesTotal"), *own.MaxNodesTotal, fmt.Sprintf("must not be more than the parent's %d", *parent.MaxNodesTotal))}
}

func byKey[T any](list []T, key func(T) string) map[string]T {
	out := make(map[string]T, len(list))
	for _, one := range list {
		out[key(one)] = one
	}
	return out
}
