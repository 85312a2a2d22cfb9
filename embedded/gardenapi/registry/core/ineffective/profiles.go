package ineffective

import (
	"slices"
	"sync"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// inProfiles are fields that CloudProfiles and NamespacedCloudProfiles have.
var inProfiles = []Field{
	{Path: "spec.machineImages[].versions[].capabilityFlavors"},
	{Path: "spec.machineImages[].versions[].inPlaceUpdates"},
	{Path: "spec.machineTypes[].capabilities"},
	{Path: "spec.machineTypes[].machineControllerManager", Instead: "spec.provider.workers[].machineControllerManager of Shoots"},
	{Path: "spec.machineTypes[].storage.type"},
}

// CloudProfile is about CloudProfiles.
var CloudProfile = Table[*core.CloudProfile]{
	Fields: slices.Concat(
		[]Field{{Path: "spec.bastion"}, {Path: "spec.controlPlane"}, {Path: "spec.machineCapabilities"}},
		inProfiles,
		[]Field{{Path: "spec.regions[].accessRestrictions"}, {Path: "spec.regions[].labels"}},
	),
	Default: sync.OnceValue(func() *core.CloudProfile {
		profile := &core.CloudProfile{Spec: core.CloudProfileSpec{
			MachineImages: []core.MachineImage{{Versions: []core.MachineImageVersion{{}}}},
			MachineTypes:  []core.MachineType{{Storage: &core.MachineTypeStorage{}}}, Regions: []core.Region{{}},
		}}
		core.SetObjectDefaults_CloudProfile(profile)
		return profile
	}),
}

// NamespacedCloudProfile is about NamespacedCloudProfiles.
var NamespacedCloudProfile = Table[*core.NamespacedCloudProfile]{
	Fields: inProfiles,
	Default: sync.OnceValue(func() *core.NamespacedCloudProfile {
		profile := &core.NamespacedCloudProfile{Spec: core.NamespacedCloudProfileSpec{
			MachineImages: []core.MachineImage{{Versions: []core.MachineImageVersion{{}}}},
			MachineTypes:  []core.MachineType{{Storage: &core.MachineTypeStorage{}}},
		}}
		core.SetObjectDefaults_NamespacedCloudProfile(profile)
		return profile
	}),
}
