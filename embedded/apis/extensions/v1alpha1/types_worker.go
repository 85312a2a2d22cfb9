package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// WorkerResource is the name of the kind Worker.
const WorkerResource = "Worker"

var _ Object = (*Worker)(nil)

// Worker is all the machines of a cluster.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=workers,singular=worker
// +kubebuilder:metadata:labels="gardener.cloud/deletion-protected=true"
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.type`
// +kubebuilder:printcolumn:name="Region",type=string,JSONPath=`.spec.region`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.lastOperation.state`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Worker struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the desired state.
	Spec WorkerSpec `json:"spec"`
	// Status is the observed state.
	// +optional
	Status WorkerStatus `json:"status,omitempty"`
}

// GetExtensionSpec implements Object.
func (w *Worker) GetExtensionSpec() Spec { return &w.Spec }

// GetExtensionStatus implements Object.
func (w *Worker) GetExtensionStatus() Status { return &w.Status }

// WorkerSpec is the desired state of a Worker.
type WorkerSpec struct {
	DefaultSpec `json:",inline"`
	// InfrastructureProviderStatus repeats the providerStatus of the Infrastructure.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	InfrastructureProviderStatus *runtime.RawExtension `json:"infrastructureProviderStatus,omitempty"`
	// Region of the provider; immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="region is immutable"
	Region string `json:"region"`
	// SecretRef names the credentials.
	SecretRef corev1.SecretReference `json:"secretRef"`
	// SSHPublicKey is the key for the nodes, when SSH is wanted.
	// +optional
	SSHPublicKey []byte `json:"sshPublicKey,omitempty"`
	// Pools are the groups of like machines.
	// +listType=map
	// +listMapKey=name
	Pools []WorkerPool `json:"pools"`
}

// WorkerPool is a group of like machines.
type WorkerPool struct {
	// MachineType is the provider's machine type.
	MachineType string `json:"machineType"`
	// Maximum is the greatest number of machines, over all zones.
	Maximum int32 `json:"maximum"`
	// MaxSurge bounds the additional machines during an update.
	MaxSurge intstr.IntOrString `json:"maxSurge"`
	// MaxUnavailable bounds the missing machines during an update.
	MaxUnavailable intstr.IntOrString `json:"maxUnavailable"`
	// Annotations of the nodes.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// Labels of the nodes.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// Taints of the nodes.
	// +optional
	// +listType=map
	// +listMapKey=key
	// +listMapKey=effect
	Taints []corev1.Taint `json:"taints,omitempty"`
	// MachineImage is what the machines boot.
	// +optional
	MachineImage MachineImage `json:"machineImage,omitempty"`
	// Minimum is the least number of machines, over all zones.
	Minimum int32 `json:"minimum"`
	// Name of the pool.
	Name string `json:"name"`
	// NodeAgentSecretName names the configuration of the nodes; a new name rolls the pool.
	// +optional
	NodeAgentSecretName *string `json:"nodeAgentSecretName,omitempty"`
	// ProviderConfig is the extension's own document.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty"`
	// UserDataSecretRef names what the machines run when they boot.
	UserDataSecretRef corev1.SecretKeySelector `json:"userDataSecretRef"`
	// Volume is the machines' root disk.
	// +optional
	Volume *Volume `json:"volume,omitempty"`
	// DataVolumes are the machines' further disks.
	// +optional
	// +listType=map
	// +listMapKey=name
	DataVolumes []DataVolume `json:"dataVolumes,omitempty"`
	// KubeletDataVolumeName names the disk for the kubelet's data.
	// +optional
	KubeletDataVolumeName *string `json:"kubeletDataVolumeName,omitempty"`
	// Zones are where the machines are spread.
	// +optional
	// +listType=atomic
	Zones []string `json:"zones,omitempty"`
	// MachineControllerManagerSettings overrides timeouts of the machine controller.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	MachineControllerManagerSettings *gardencorev1beta1.MachineControllerManagerSettings `json:"machineControllerManager,omitempty"`
	// KubernetesVersion is the kubelet's version.
	// +optional
	KubernetesVersion *string `json:"kubernetesVersion,omitempty"`
	// KubeletConfig is the kubelet's configuration.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	KubeletConfig *gardencorev1beta1.KubeletConfig `json:"kubeletConfig,omitempty"`
	// NodeTemplate describes the capacity of a node for the autoscaler before a node exists.
	// +optional
	NodeTemplate *NodeTemplate `json:"nodeTemplate,omitempty"`
	// Architecture is the processor architecture.
	// +optional
	Architecture *string `json:"architecture,omitempty"`
	// ClusterAutoscaler overrides options of the autoscaler.
	// +optional
	ClusterAutoscaler *ClusterAutoscalerOptions `json:"clusterAutoscaler,omitempty"`
	// Priority is the autoscaler's preference; more is first.
	// +optional
	Priority *int32 `json:"priority,omitempty"`
	// UpdateStrategy says how machines are updated.
	// +optional
	UpdateStrategy *gardencorev1beta1.MachineUpdateStrategy `json:"updateStrategy,omitempty"`
}

// MachineImage is what machines boot.
type MachineImage struct {
	// Name of the image.
	Name string `json:"name"`
	// Version of the image.
	Version string `json:"version"`
}

// Volume is the root disk.
type Volume struct {
	// Name of the disk.
	// +optional
	Name *string `json:"name,omitempty"`
	// Type is the provider's type of disk.
	// +optional
	Type *string `json:"type,omitempty"`
	// Size in Gi, such as 20Gi.
	// +kubebuilder:validation:Pattern=`^(\d)+Gi$`
	Size string `json:"size"`
	// Encrypted asks for encryption.
	// +optional
	Encrypted *bool `json:"encrypted,omitempty"`
}

// DataVolume is a further disk.
type DataVolume struct {
	// Name of the disk, unique in the pool.
	Name string `json:"name"`
	// Type is the provider's type of disk.
	// +optional
	Type *string `json:"type,omitempty"`
	// Size in Gi, such as 20Gi.
	// +kubebuilder:validation:Pattern=`^(\d)+Gi$`
	Size string `json:"size"`
	// Encrypted asks for encryption.
	// +optional
	Encrypted *bool `json:"encrypted,omitempty"`
}

// NodeTemplate describes a node before it exists.
type NodeTemplate struct {
	// Capacity is what the node will offer.
	Capacity corev1.ResourceList `json:"capacity"`
	// VirtualCapacity is capacity the machine itself does not have.
	// +optional
	VirtualCapacity corev1.ResourceList `json:"virtualCapacity,omitempty"`
}

// ClusterAutoscalerOptions overrides options of the autoscaler.
type ClusterAutoscalerOptions struct {
	// ScaleDownUtilizationThreshold is the use below which a node may be removed, 0 to 1.
	// +optional
	ScaleDownUtilizationThreshold *string `json:"scaleDownUtilizationThreshold,omitempty"`
	// ScaleDownGpuUtilizationThreshold is the same for GPUs.
	// +optional
	ScaleDownGpuUtilizationThreshold *string `json:"scaleDownGpuUtilizationThreshold,omitempty"`
	// ScaleDownUnneededTime is how long a node must be unneeded.
	// +optional
	ScaleDownUnneededTime *metav1.Duration `json:"scaleDownUnneededTime,omitempty"`
	// ScaleDownUnreadyTime is how long a node must be unready.
	// +optional
	ScaleDownUnreadyTime *metav1.Duration `json:"scaleDownUnreadyTime,omitempty"`
	// MaxNodeProvisionTime is how long a node may take to come.
	// +optional
	MaxNodeProvisionTime *metav1.Duration `json:"maxNodeProvisionTime,omitempty"`
}

// WorkerStatus is the observed state of a Worker.
type WorkerStatus struct {
	DefaultStatus `json:",inline"`
	// MachineDeployments lists the MachineDeployments.
	// +optional
	// +listType=map
	// +listMapKey=name
	MachineDeployments []MachineDeployment `json:"machineDeployments,omitempty"`
	// MachineDeploymentsLastUpdateTime is when MachineDeployments were written last.
	// +optional
	MachineDeploymentsLastUpdateTime *metav1.Time `json:"machineDeploymentsLastUpdateTime,omitempty"`
	// InPlaceUpdates describes updates in place.
	// +optional
	InPlaceUpdates *InPlaceUpdatesWorkerStatus `json:"inPlaceUpdates,omitempty"`
}

// MachineDeployment holds the limits of one MachineDeployment.
type MachineDeployment struct {
	// Name of the MachineDeployment.
	Name string `json:"name"`
	// Minimum is the least number of machines.
	Minimum int32 `json:"minimum"`
	// Maximum is the greatest number of machines.
	Maximum int32 `json:"maximum"`
	// Priority is the autoscaler's preference.
	// +optional
	Priority *int32 `json:"priority,omitempty"`
	// AutoPreserveFailedMachineMax bounds the failed machines kept.
	// +optional
	AutoPreserveFailedMachineMax *int32 `json:"autoPreserveFailedMachineMax,omitempty"`
}

// InPlaceUpdatesWorkerStatus describes updates in place.
type InPlaceUpdatesWorkerStatus struct {
	// WorkerPoolToHashMap holds a hash per pool.
	// +optional
	WorkerPoolToHashMap map[string]string `json:"workerPoolToHashMap,omitempty"`
}

// WorkerList is a list of Workers.
//
// +kubebuilder:object:root=true
type WorkerList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of Workers.
	Items []Worker `json:"items"`
}
