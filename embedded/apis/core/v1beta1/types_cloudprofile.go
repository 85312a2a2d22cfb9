package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// CloudProfile lists what an infrastructure offers: Kubernetes versions, images, machines, regions.
type CloudProfile struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec CloudProfileSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`

	// Status is the observed state.
	Status CloudProfileStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// CloudProfileList is a list of CloudProfile objects.
type CloudProfileList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []CloudProfile `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// CloudProfileSpec is the desired state of a CloudProfile.
type CloudProfileSpec struct {
	// CABundle is a PEM bundle installed on all nodes.
	CABundle *string `json:"caBundle,omitempty" protobuf:"bytes,1,opt,name=caBundle"`

	// Kubernetes are the offered Kubernetes versions.
	Kubernetes KubernetesSettings `json:"kubernetes" protobuf:"bytes,2,opt,name=kubernetes"`

	// MachineImages are the offered machine images.
	// +patchMergeKey=name
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=name
	MachineImages []MachineImage `json:"machineImages" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,3,rep,name=machineImages"`

	// MachineTypes are the offered machine types.
	// +patchMergeKey=name
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=name
	MachineTypes []MachineType `json:"machineTypes" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,4,rep,name=machineTypes"`

	// ProviderConfig is configuration in the format of the provider.
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty" protobuf:"bytes,5,opt,name=providerConfig"`

	// Regions are the offered regions.
	// +patchMergeKey=name
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=name
	Regions []Region `json:"regions" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,6,rep,name=regions"`

	// SeedSelector restricts the seeds usable with the profile.
	SeedSelector *SeedSelector `json:"seedSelector,omitempty" protobuf:"bytes,7,opt,name=seedSelector"`

	// Type is the provider type.
	Type string `json:"type" protobuf:"bytes,8,opt,name=type"`

	// VolumeTypes are the offered volume types.
	// +patchMergeKey=name
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=name
	VolumeTypes []VolumeType `json:"volumeTypes,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,9,rep,name=volumeTypes"`

	// Bastion is the machine used for bastions.
	Bastion *Bastion `json:"bastion,omitempty" protobuf:"bytes,10,opt,name=bastion"`

	// Limits bounds the clusters of the profile.
	Limits *Limits `json:"limits,omitempty" protobuf:"bytes,11,opt,name=limits"`

	// MachineCapabilities are the capabilities machine types and images may have.
	// +patchMergeKey=name
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=name
	MachineCapabilities []CapabilityDefinition `json:"machineCapabilities,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,12,rep,name=machineCapabilities"`

	// ControlPlane bounds the control planes of the profile.
	ControlPlane *CloudProfileControlPlane `json:"controlPlane,omitempty" protobuf:"bytes,13,opt,name=controlPlane"`
}

// CloudProfileControlPlane bounds the control planes of a profile.
type CloudProfileControlPlane struct {
	// AllowZonePinning lets shoots name the zones of their control plane.
	AllowZonePinning *bool `json:"allowZonePinning,omitempty" protobuf:"varint,1,opt,name=allowZonePinning"`
}

// CloudProfileStatus is the observed state of a CloudProfile.
type CloudProfileStatus struct {
	// Kubernetes is the current stage of the Kubernetes versions.
	Kubernetes *KubernetesStatus `json:"kubernetes,omitempty" protobuf:"bytes,1,opt,name=kubernetes"`

	// MachineImages tell the present stage of the machine images.
	// +patchMergeKey=name
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=name
	MachineImages []MachineImageStatus `json:"machineImages,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,2,rep,name=machineImages"`
}

// KubernetesStatus is the current stage of Kubernetes versions.
type KubernetesStatus struct {
	// Versions are the versions.
	// +patchMergeKey=version
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=version
	Versions []ExpirableVersionStatus `json:"versions,omitempty" patchStrategy:"merge" patchMergeKey:"version" protobuf:"bytes,1,rep,name=versions"`
}

// MachineImageStatus is the current stage of an image's versions.
type MachineImageStatus struct {
	// Name is the name of the image.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// Versions are the versions.
	// +patchMergeKey=version
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=version
	Versions []ExpirableVersionStatus `json:"versions,omitempty" patchStrategy:"merge" patchMergeKey:"version" protobuf:"bytes,2,rep,name=versions"`
}

// ExpirableVersionStatus is the current stage of a version.
type ExpirableVersionStatus struct {
	// Version is the version.
	Version string `json:"version" protobuf:"bytes,1,opt,name=version"`

	// Classification is the present stage.
	Classification VersionClassification `json:"classification" protobuf:"bytes,2,opt,name=classification"`
}

// KubernetesSettings are the offered Kubernetes versions.
type KubernetesSettings struct {
	// Versions are the versions.
	// +patchMergeKey=version
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=version
	Versions []ExpirableVersion `json:"versions,omitempty" patchStrategy:"merge" patchMergeKey:"version" protobuf:"bytes,1,rep,name=versions"`
}

// Region is a region of an infrastructure.
type Region struct {
	// Name is the name of the region.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// Zones are the zones of the region.
	// +listType=map
	// +listMapKey=name
	Zones []AvailabilityZone `json:"zones,omitempty" protobuf:"bytes,2,rep,name=zones"`

	// Labels describe the region.
	Labels map[string]string `json:"labels,omitempty" protobuf:"bytes,3,rep,name=labels"`

	// AccessRestrictions are the access restrictions the region fulfils.
	// +listType=map
	// +listMapKey=name
	AccessRestrictions []AccessRestriction `json:"accessRestrictions,omitempty" protobuf:"bytes,4,rep,name=accessRestrictions"`
}

// AvailabilityZone is a zone of a region.
type AvailabilityZone struct {
	// Name is the name of the zone.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// UnavailableMachineTypes are machine types the zone lacks.
	// +listType=set
	UnavailableMachineTypes []string `json:"unavailableMachineTypes,omitempty" protobuf:"bytes,2,rep,name=unavailableMachineTypes"`

	// UnavailableVolumeTypes are volume types the zone lacks.
	// +listType=set
	UnavailableVolumeTypes []string `json:"unavailableVolumeTypes,omitempty" protobuf:"bytes,3,rep,name=unavailableVolumeTypes"`
}

// Bastion is the machine used for bastions.
type Bastion struct {
	// MachineImage is the image.
	MachineImage *BastionMachineImage `json:"machineImage,omitempty" protobuf:"bytes,1,opt,name=machineImage"`

	// MachineType is the machine type.
	MachineType *BastionMachineType `json:"machineType,omitempty" protobuf:"bytes,2,opt,name=machineType"`
}

// BastionMachineImage is the image of bastions.
type BastionMachineImage struct {
	// Name is the name of the image.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// Version is the version of the image; the newest by default.
	Version *string `json:"version,omitempty" protobuf:"bytes,2,opt,name=version"`
}

// BastionMachineType is the machine type of bastions.
type BastionMachineType struct {
	// Name is the name of the machine type.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`
}

// Limits bounds the clusters of a profile.
type Limits struct {
	// MaxNodesTotal is the largest number of nodes of a cluster.
	MaxNodesTotal *int32 `json:"maxNodesTotal,omitempty" protobuf:"varint,1,opt,name=maxNodesTotal"`
}
