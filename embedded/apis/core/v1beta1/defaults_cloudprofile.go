package v1beta1

import "github.com/gardener-up/gardener-up/embedded/apis/defaulting"

// SetDefaults_CloudProfileSpec completes images, and sets architectures unless the profile describes machines by
// capabilities.
func SetDefaults_CloudProfileSpec(obj *CloudProfileSpec) {
	withArchitectures := len(obj.MachineCapabilities) == 0
	for i := range obj.MachineImages {
		setImage(&obj.MachineImages[i], withArchitectures)
	}
	if withArchitectures {
		setMachineArchitectures(obj.MachineTypes)
	}
}

// SetDefaults_NamespacedCloudProfileSpec sets architectures of machine types without capabilities. Images may only
// change those of the parent and stay as they are.
func SetDefaults_NamespacedCloudProfileSpec(obj *NamespacedCloudProfileSpec) {
	setMachineArchitectures(obj.MachineTypes)
}

// setImage lets updates go to the newest version and names container runtime and architecture of every version.
func setImage(image *MachineImage, withArchitectures bool) {
	defaulting.Pointer(&image.UpdateStrategy, UpdateStrategyMajor)
	for i := range image.Versions {
		version := &image.Versions[i]
		if len(version.CRI) == 0 {
			version.CRI = []CRI{{Name: CRINameContainerD}}
		}
		if withArchitectures && len(version.Architectures) == 0 && len(version.CapabilityFlavors) == 0 {
			version.Architectures = []string{ArchitectureAMD64}
		}
	}
}

func setMachineArchitectures(machines []MachineType) {
	for i := range machines {
		if len(machines[i].Capabilities) == 0 {
			defaulting.Pointer(&machines[i].Architecture, ArchitectureAMD64)
		}
	}
}

// SetDefaults_MachineType makes a machine type usable.
func SetDefaults_MachineType(obj *MachineType) {
	defaulting.Pointer(&obj.Usable, true)
}

// SetDefaults_VolumeType makes a volume type usable.
func SetDefaults_VolumeType(obj *VolumeType) {
	defaulting.Pointer(&obj.Usable, true)
}
