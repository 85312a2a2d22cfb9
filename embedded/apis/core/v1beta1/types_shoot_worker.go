package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Worker is a pool of equal machines.
type Worker struct {
	// Annotations are put on the nodes.
	Annotations map[string]string `json:"annotations,omitempty" protobuf:"bytes,1,rep,name=annotations"`

	// CABundle is a PEM bundle of authorities the nodes trust.
	CABundle *string `json:"caBundle,omitempty" protobuf:"bytes,2,opt,name=caBundle"`

	// CRI is the container runtime; containerd by default.
	CRI *CRI `json:"cri,omitempty" protobuf:"bytes,3,opt,name=cri"`

	// Kubernetes is version and configuration of the kubelet.
	Kubernetes *WorkerKubernetes `json:"kubernetes,omitempty" protobuf:"bytes,4,opt,name=kubernetes"`

	// Labels are put on the nodes.
	Labels map[string]string `json:"labels,omitempty" protobuf:"bytes,5,rep,name=labels"`

	// Name is the name of the pool, at most 15 characters.
	Name string `json:"name" protobuf:"bytes,6,opt,name=name"`

	// Machine is type and image of the machines.
	Machine Machine `json:"machine" protobuf:"bytes,7,opt,name=machine"`

	// Maximum is the largest number of machines.
	Maximum int32 `json:"maximum" protobuf:"varint,8,opt,name=maximum"`

	// Minimum is the smallest number of machines.
	Minimum int32 `json:"minimum" protobuf:"varint,9,opt,name=minimum"`

	// MaxSurge is how many machines may be added during a rollout, as number or percentage.
	MaxSurge *intstr.IntOrString `json:"maxSurge,omitempty" protobuf:"bytes,10,opt,name=maxSurge"`

	// MaxUnavailable is how many machines may be missing during a rollout, as number or percentage.
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty" protobuf:"bytes,11,opt,name=maxUnavailable"`

	// ProviderConfig is configuration of the pool in the format of the provider.
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty" protobuf:"bytes,12,opt,name=providerConfig"`

	// Taints are put on the nodes.
	// +listType=map
	// +listMapKey=key
	// +listMapKey=effect
	Taints []corev1.Taint `json:"taints,omitempty" protobuf:"bytes,13,rep,name=taints"`

	// Volume is the root volume of the machines.
	Volume *Volume `json:"volume,omitempty" protobuf:"bytes,14,opt,name=volume"`

	// DataVolumes are further volumes of the machines.
	// +listType=map
	// +listMapKey=name
	DataVolumes []DataVolume `json:"dataVolumes,omitempty" protobuf:"bytes,15,rep,name=dataVolumes"`

	// KubeletDataVolumeName is the data volume that holds the kubelet's directory.
	KubeletDataVolumeName *string `json:"kubeletDataVolumeName,omitempty" protobuf:"bytes,16,opt,name=kubeletDataVolumeName"`

	// Zones are the zones the machines are spread over.
	// +listType=atomic
	Zones []string `json:"zones,omitempty" protobuf:"bytes,17,rep,name=zones"`

	// SystemComponents says whether system components may run in the pool.
	SystemComponents *WorkerSystemComponents `json:"systemComponents,omitempty" protobuf:"bytes,18,opt,name=systemComponents"`

	// MachineControllerManagerSettings are timeouts of the controller of the machines.
	MachineControllerManagerSettings *MachineControllerManagerSettings `json:"machineControllerManager,omitempty" protobuf:"bytes,19,opt,name=machineControllerManager"`

	// Sysctls are kernel parameters of the nodes.
	Sysctls map[string]string `json:"sysctls,omitempty" protobuf:"bytes,20,rep,name=sysctls"`

	// ClusterAutoscaler are autoscaler settings of the pool.
	ClusterAutoscaler *ClusterAutoscalerOptions `json:"clusterAutoscaler,omitempty" protobuf:"bytes,21,opt,name=clusterAutoscaler"`

	// Priority is the weight of the pool for the expander "priority".
	Priority *int32 `json:"priority,omitempty" protobuf:"varint,22,opt,name=priority"`

	// UpdateStrategy is how machines are updated; AutoRollingUpdate by default.
	UpdateStrategy *MachineUpdateStrategy `json:"updateStrategy,omitempty" protobuf:"bytes,23,opt,name=updateStrategy"`

	// ControlPlane makes the pool run the control plane of its own cluster.
	ControlPlane *WorkerControlPlane `json:"controlPlane,omitempty" protobuf:"bytes,24,opt,name=controlPlane"`
}

// MachineUpdateStrategy is how the machines of a pool are updated.
type MachineUpdateStrategy string

const (
	// AutoRollingUpdate replaces machines one after the other.
	AutoRollingUpdate MachineUpdateStrategy = "AutoRollingUpdate"
	// AutoInPlaceUpdate updates machines where they are, one after the other.
	AutoInPlaceUpdate MachineUpdateStrategy = "AutoInPlaceUpdate"
	// ManualInPlaceUpdate updates machines where they are, when a user says so.
	ManualInPlaceUpdate MachineUpdateStrategy = "ManualInPlaceUpdate"
)

// WorkerSystemComponents says whether system components may run in a pool.
type WorkerSystemComponents struct {
	// Allow permits system components; true by default.
	Allow bool `json:"allow" protobuf:"varint,1,opt,name=allow"`
}

// WorkerKubernetes is version and configuration of the kubelet of a pool.
type WorkerKubernetes struct {
	// Kubelet replaces the kubelet configuration of the cluster as a whole.
	Kubelet *KubeletConfig `json:"kubelet,omitempty" protobuf:"bytes,1,opt,name=kubelet"`

	// Version is the version of the kubelet; not newer than the control plane.
	Version *string `json:"version,omitempty" protobuf:"bytes,2,opt,name=version"`
}

// Machine is type and image of machines.
type Machine struct {
	// Type is the name of a machine type in the cloud profile.
	Type string `json:"type" protobuf:"bytes,1,opt,name=type"`

	// Image is the machine image; the newest of the profile's first one by default.
	Image *ShootMachineImage `json:"image,omitempty" protobuf:"bytes,2,opt,name=image"`

	// Architecture is amd64 or arm64; amd64 by default.
	Architecture *string `json:"architecture,omitempty" protobuf:"bytes,3,opt,name=architecture"`
}

// ShootMachineImage is a machine image with version and configuration.
type ShootMachineImage struct {
	// Name is the name of an image in the cloud profile.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// ProviderConfig is configuration in the format of the operating system extension.
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty" protobuf:"bytes,2,opt,name=providerConfig"`

	// Version is the version of the image; the newest by default.
	Version *string `json:"version,omitempty" protobuf:"bytes,3,opt,name=version"`
}

// Volume is the root volume of machines.
type Volume struct {
	// Name is the name of the volume.
	Name *string `json:"name,omitempty" protobuf:"bytes,1,opt,name=name"`

	// Type is the name of a volume type in the cloud profile.
	Type *string `json:"type,omitempty" protobuf:"bytes,2,opt,name=type"`

	// VolumeSize is the size, for example 50Gi.
	VolumeSize string `json:"size" protobuf:"bytes,3,opt,name=size"`

	// Encrypted asks for encryption.
	Encrypted *bool `json:"encrypted,omitempty" protobuf:"varint,4,opt,name=encrypted"`
}

// DataVolume is a further volume of machines.
type DataVolume struct {
	// Name is the name of the volume.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// Type is the name of a volume type in the cloud profile.
	Type *string `json:"type,omitempty" protobuf:"bytes,2,opt,name=type"`

	// VolumeSize is the size, for example 50Gi.
	VolumeSize string `json:"size" protobuf:"bytes,3,opt,name=size"`

	// Encrypted asks for encryption.
	Encrypted *bool `json:"encrypted,omitempty" protobuf:"varint,4,opt,name=encrypted"`
}

// CRI is a container runtime.
type CRI struct {
	// Name is the name of the runtime.
	Name CRIName `json:"name" protobuf:"bytes,1,opt,name=name"`

	// ContainerRuntimes are further runtimes beneath it.
	// +listType=map
	// +listMapKey=type
	ContainerRuntimes []ContainerRuntime `json:"containerRuntimes,omitempty" protobuf:"bytes,2,rep,name=containerRuntimes"`
}

// CRIName is the name of a container runtime.
type CRIName string

const (
	// CRINameContainerD is containerd.
	CRINameContainerD CRIName = "containerd"
	// CRINameDocker is docker, up to Kubernetes 1.22.
	CRINameDocker CRIName = "docker"
)

// ContainerRuntime is a runtime beneath the container runtime, for example gvisor.
type ContainerRuntime struct {
	// Type is the type of the runtime extension.
	Type string `json:"type" protobuf:"bytes,1,opt,name=type"`

	// ProviderConfig is configuration in the format of the runtime extension.
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty" protobuf:"bytes,2,opt,name=providerConfig"`
}

const (
	// ArchitectureAMD64 is the processor architecture amd64.
	ArchitectureAMD64 = "amd64"
	// ArchitectureARM64 is the processor architecture arm64.
	ArchitectureARM64 = "arm64"
)
