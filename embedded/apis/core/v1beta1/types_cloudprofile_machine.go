package v1beta1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// VersionClassification is the stage in the life of a version.
type VersionClassification string

const (
	// ClassificationUnavailable means that the version cannot be used yet.
	ClassificationUnavailable VersionClassification = "unavailable"
	// ClassificationPreview means that the version can be tried.
	ClassificationPreview VersionClassification = "preview"
	// ClassificationSupported means that the version is recommended.
	ClassificationSupported VersionClassification = "supported"
	// ClassificationDeprecated means that the version should be left.
	ClassificationDeprecated VersionClassification = "deprecated"
	// ClassificationExpired means that the version cannot be used any more.
	ClassificationExpired VersionClassification = "expired"
)

// ExpirableVersion is a version with its life.
type ExpirableVersion struct {
	// Version is the version.
	Version string `json:"version" protobuf:"bytes,1,opt,name=version"`

	// ExpirationDate is when the version expires.
	ExpirationDate *metav1.Time `json:"expirationDate,omitempty" protobuf:"bytes,2,opt,name=expirationDate"`

	// Classification is the stage of the version.
	Classification *VersionClassification `json:"classification,omitempty" protobuf:"bytes,3,opt,name=classification"`

	// Lifecycle are the stages of the version with the times they begin.
	// +listType=atomic
	Lifecycle []LifecycleStage `json:"lifecycle,omitempty" protobuf:"bytes,4,rep,name=lifecycle"`
}

// LifecycleStage is a stage in the life of a version.
type LifecycleStage struct {
	// Classification is the stage.
	Classification VersionClassification `json:"classification" protobuf:"bytes,1,opt,name=classification"`

	// StartTime is when the stage begins; the first one may leave it out.
	StartTime *metav1.Time `json:"startTime,omitempty" protobuf:"bytes,2,opt,name=startTime"`
}

// MachineImage is an operating system image.
type MachineImage struct {
	// Name is the name of the image.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// Versions are the versions of the image.
	// +patchMergeKey=version
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=version
	Versions []MachineImageVersion `json:"versions" patchStrategy:"merge" patchMergeKey:"version" protobuf:"bytes,2,rep,name=versions"`

	// UpdateStrategy bounds automatic updates; major by default.
	UpdateStrategy *MachineImageUpdateStrategy `json:"updateStrategy,omitempty" protobuf:"bytes,3,opt,name=updateStrategy"`
}

// MachineImageUpdateStrategy bounds automatic updates of an image.
type MachineImageUpdateStrategy string

const (
	// UpdateStrategyPatch stays in the minor version.
	UpdateStrategyPatch MachineImageUpdateStrategy = "patch"
	// UpdateStrategyMinor stays in the major version.
	UpdateStrategyMinor MachineImageUpdateStrategy = "minor"
	// UpdateStrategyMajor goes to the newest version.
	UpdateStrategyMajor MachineImageUpdateStrategy = "major"
)

// MachineImageVersion is a version of an image.
type MachineImageVersion struct {
	// ExpirableVersion is the version with its life.
	ExpirableVersion `json:",inline" protobuf:"bytes,1,opt,name=expirableVersion"`

	// CRI are the container runtimes of the image; containerd by default.
	// +listType=map
	// +listMapKey=name
	CRI []CRI `json:"cri,omitempty" protobuf:"bytes,2,rep,name=cri"`

	// Architectures are the processor architectures; amd64 by default.
	// +listType=atomic
	Architectures []string `json:"architectures,omitempty" protobuf:"bytes,3,rep,name=architectures"`

	// KubeletVersionConstraint is a range of kubelet versions that run on the image.
	KubeletVersionConstraint *string `json:"kubeletVersionConstraint,omitempty" protobuf:"bytes,4,opt,name=kubeletVersionConstraint"`

	// InPlaceUpdates says whether machines can be updated to the image where they are.
	InPlaceUpdates *InPlaceUpdates `json:"inPlaceUpdates,omitempty" protobuf:"bytes,5,opt,name=inPlaceUpdates"`

	// CapabilityFlavors are the sets of capabilities the image exists in.
	// +listType=atomic
	CapabilityFlavors []MachineImageFlavor `json:"capabilityFlavors,omitempty" protobuf:"bytes,6,rep,name=capabilityFlavors"`
}

// InPlaceUpdates says whether machines can be updated to an image where they are.
type InPlaceUpdates struct {
	// Supported is true if they can.
	Supported bool `json:"supported" protobuf:"varint,1,opt,name=supported"`

	// MinVersionForUpdate is the oldest version an update can start from.
	MinVersionForUpdate *string `json:"minVersionForUpdate,omitempty" protobuf:"bytes,2,opt,name=minVersionForUpdate"`
}

// MachineImageFlavor is a set of capabilities an image exists in, as map from capability to values.
type MachineImageFlavor map[string]CapabilityValues

// Capabilities maps names of capabilities to their values.
type Capabilities map[string]CapabilityValues

// CapabilityValues are values of a capability.
type CapabilityValues []string

// CapabilityDefinition is a capability with its possible values.
type CapabilityDefinition struct {
	// Name is the name of the capability, for example architecture.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// Values are the possible values.
	// +listType=set
	Values CapabilityValues `json:"values" protobuf:"bytes,2,opt,name=values"`
}

// MachineType is a type of machine.
type MachineType struct {
	// CPU is the number of processors.
	CPU resource.Quantity `json:"cpu" protobuf:"bytes,1,opt,name=cpu"`

	// GPU is the number of graphics processors.
	GPU resource.Quantity `json:"gpu" protobuf:"bytes,2,opt,name=gpu"`

	// Memory is the size of the memory.
	Memory resource.Quantity `json:"memory" protobuf:"bytes,3,opt,name=memory"`

	// Name is the name of the machine type.
	Name string `json:"name" protobuf:"bytes,4,opt,name=name"`

	// Storage is the storage that comes with the machine.
	Storage *MachineTypeStorage `json:"storage,omitempty" protobuf:"bytes,5,opt,name=storage"`

	// Usable says whether the type may be used; true by default.
	Usable *bool `json:"usable,omitempty" protobuf:"varint,6,opt,name=usable"`

	// Architecture is the processor architecture; amd64 by default.
	Architecture *string `json:"architecture,omitempty" protobuf:"bytes,7,opt,name=architecture"`

	// Capabilities are the capabilities of the machine.
	Capabilities Capabilities `json:"capabilities,omitempty" protobuf:"bytes,8,opt,name=capabilities"`

	// MachineControllerManagerSettings are timeouts for machines of the type.
	MachineControllerManagerSettings *MachineTypeMachineControllerManagerSettings `json:"machineControllerManager,omitempty" protobuf:"bytes,9,opt,name=machineControllerManager"`
}

// MachineTypeMachineControllerManagerSettings are timeouts for machines of a type.
type MachineTypeMachineControllerManagerSettings struct {
	// MachineCreationTimeout is how long a machine may take to join.
	MachineCreationTimeout *metav1.Duration `json:"machineCreationTimeout,omitempty" protobuf:"bytes,1,opt,name=machineCreationTimeout"`
}

// MachineTypeStorage is the storage that comes with a machine.
type MachineTypeStorage struct {
	// Class is the class of the storage.
	Class string `json:"class" protobuf:"bytes,1,opt,name=class"`

	// StorageSize is the size of the storage.
	StorageSize *resource.Quantity `json:"size,omitempty" protobuf:"bytes,2,opt,name=size"`

	// Type is the type of the storage.
	Type string `json:"type" protobuf:"bytes,3,opt,name=type"`

	// MinSize is the smallest size, where the size can be chosen.
	MinSize *resource.Quantity `json:"minSize,omitempty" protobuf:"bytes,4,opt,name=minSize"`
}

// VolumeType is a type of volume.
type VolumeType struct {
	// Class is the class counted in quotas: standard or premium.
	Class string `json:"class" protobuf:"bytes,1,opt,name=class"`

	// Name is the name of the volume type.
	Name string `json:"name" protobuf:"bytes,2,opt,name=name"`

	// Usable says whether the type may be used; true by default.
	Usable *bool `json:"usable,omitempty" protobuf:"varint,3,opt,name=usable"`

	// MinSize is the smallest size.
	MinSize *resource.Quantity `json:"minSize,omitempty" protobuf:"bytes,4,opt,name=minSize"`
}

const (
	// VolumeClassStandard is the class of ordinary volumes.
	VolumeClassStandard = "standard"
	// VolumeClassPremium is the class of fast volumes.
	VolumeClassPremium = "premium"
)
