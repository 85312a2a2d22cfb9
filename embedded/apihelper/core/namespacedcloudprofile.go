package core

import (
	"strings"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// MergeCloudProfile merges a NamespacedCloudProfile into its parent. The profile adds machine types, volume types, images
// and versions of images. It overrides expiration dates and limits. If the parent defines an entry of the same name, the
// entry of the parent wins. Neither argument is changed.
func MergeCloudProfile(parent *core.CloudProfileSpec, profile *core.NamespacedCloudProfileSpec) *core.CloudProfileSpec {
	merged, own := parent.DeepCopy(), profile.DeepCopy()
	if own.Kubernetes != nil {
		for i := range merged.Kubernetes.Versions {
			prolong(&merged.Kubernetes.Versions[i], own.Kubernetes.Versions)
		}
	}
	merged.MachineImages = mergeImages(merged.MachineImages, own.MachineImages)
	merged.MachineTypes = addMissing(merged.MachineTypes, own.MachineTypes, func(t core.MachineType) string { return t.Name })
	merged.VolumeTypes = addMissing(merged.VolumeTypes, own.VolumeTypes, func(t core.VolumeType) string { return t.Name })
	if own.CABundle != nil {
		bundle := *own.CABundle
		if merged.CABundle != nil {
			bundle = strings.TrimSpace(*merged.CABundle) + "\n" + bundle
		}
		merged.CABundle = &bundle
	}
	if own.ProviderConfig != nil {
		merged.ProviderConfig = own.ProviderConfig
	}
	if own.Limits != nil && own.Limits.MaxNodesTotal != nil {
		if merged.Limits == nil {
			merged.Limits = &core.Limits{}
		}
		if most := merged.Limits.MaxNodesTotal; most == nil || *own.Limits.MaxNodesTotal < *most {
			merged.Limits.MaxNodesTotal = own.Limits.MaxNodesTotal
		}
	}
	return merged
}

// prolong sets the expiration date of a version to the one in the overrides.
func prolong(version *core.ExpirableVersion, overrides []core.ExpirableVersion) {
	for _, one := range overrides {
		if one.Version == version.Version && one.ExpirationDate != nil {
			version.ExpirationDate = one.ExpirationDate
		}
	}
}

func mergeImages(images, own []core.MachineImage) []core.MachineImage {
	name := func(i core.MachineImage) string { return i.Name }
	version := func(v core.MachineImageVersion) string { return v.Version }
	for i := range images {
		for _, one := range own {
			if one.Name != images[i].Name {
				continue
			}
			var dates []core.ExpirableVersion
			for _, v := range one.Versions {
				dates = append(dates, v.ExpirableVersion)
			}
			for j := range images[i].Versions {
				prolong(&images[i].Versions[j].ExpirableVersion, dates)
			}
			images[i].Versions = addMissing(images[i].Versions, one.Versions, version)
		}
	}
	return addMissing(images, own, name)
}

// addMissing appends the elements whose key does not exist yet.
func addMissing[T any](list, more []T, key func(T) string) []T {
	known := map[string]bool{}
	for _, one := range list {
		known[key(one)] = true
	}
	for _, one := range more {
		if !known[key(one)] {
			list = append(list, one)
		}
	}
	return list
}
