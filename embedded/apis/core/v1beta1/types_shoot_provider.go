package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Provider is the infrastructure configuration of a cluster.
type Provider struct {
	// Type is the provider type; it cannot be changed.
	Type string `json:"type" protobuf:"bytes,1,opt,name=type"`

	// ControlPlaneConfig is configuration of the control plane in the format of the provider.
	ControlPlaneConfig *runtime.RawExtension `json:"controlPlaneConfig,omitempty" protobuf:"bytes,2,opt,name=controlPlaneConfig"`

	// InfrastructureConfig is configuration of the infrastructure in the format of the provider.
	InfrastructureConfig *runtime.RawExtension `json:"infrastructureConfig,omitempty" protobuf:"bytes,3,opt,name=infrastructureConfig"`

	// Workers are the worker pools; a cluster with none has no nodes ever.
	// +listType=map
	// +listMapKey=name
	Workers []Worker `json:"workers,omitempty" protobuf:"bytes,4,rep,name=workers"`

	// WorkersSettings are settings of all worker pools.
	WorkersSettings *WorkersSettings `json:"workersSettings,omitempty" protobuf:"bytes,5,opt,name=workersSettings"`
}

// WorkersSettings are settings of all worker pools.
type WorkersSettings struct {
	// SSHAccess says whether nodes can be reached by SSH.
	SSHAccess *SSHAccess `json:"sshAccess,omitempty" protobuf:"bytes,1,opt,name=sshAccess"`
}

// SSHAccess says whether nodes can be reached by SSH.
type SSHAccess struct {
	// Enabled allows SSH; true by default.
	Enabled bool `json:"enabled" protobuf:"varint,1,opt,name=enabled"`
}

// MachineControllerManagerSettings are timeouts of the controller of a pool's machines.
type MachineControllerManagerSettings struct {
	// MachineDrainTimeout is how long a drain may take.
	MachineDrainTimeout *metav1.Duration `json:"machineDrainTimeout,omitempty" protobuf:"bytes,1,opt,name=machineDrainTimeout"`

	// MachineHealthTimeout is how long a machine may be unhealthy before it is replaced.
	MachineHealthTimeout *metav1.Duration `json:"machineHealthTimeout,omitempty" protobuf:"bytes,2,opt,name=machineHealthTimeout"`

	// MachineCreationTimeout is how long a machine may take to join.
	MachineCreationTimeout *metav1.Duration `json:"machineCreationTimeout,omitempty" protobuf:"bytes,3,opt,name=machineCreationTimeout"`

	// MaxEvictRetries is how often the eviction of a pod is tried.
	MaxEvictRetries *int32 `json:"maxEvictRetries,omitempty" protobuf:"varint,4,opt,name=maxEvictRetries"`

	// NodeConditions are node conditions that make a machine unhealthy.
	// +listType=set
	NodeConditions []string `json:"nodeConditions,omitempty" protobuf:"bytes,5,rep,name=nodeConditions"`

	// MachineInPlaceUpdateTimeout is how long an update in place may take.
	MachineInPlaceUpdateTimeout *metav1.Duration `json:"inPlaceUpdateTimeout,omitempty" protobuf:"bytes,6,opt,name=inPlaceUpdateTimeout"`

	// DisableHealthTimeout keeps unhealthy machines; true by default for updates in place.
	DisableHealthTimeout *bool `json:"disableHealthTimeout,omitempty" protobuf:"varint,7,opt,name=disableHealthTimeout"`

	// MachinePreserveTimeout is how long a failed machine is kept for inspection.
	MachinePreserveTimeout *metav1.Duration `json:"machinePreserveTimeout,omitempty" protobuf:"bytes,8,opt,name=machinePreserveTimeout"`

	// AutoPreserveFailedMachineMax is how many failed machines are automatically kept.
	AutoPreserveFailedMachineMax *int32 `json:"autoPreserveFailedMachineMax,omitempty" protobuf:"varint,9,opt,name=autoPreserveFailedMachineMax"`
}

// ClusterAutoscalerOptions are autoscaler settings of one pool.
type ClusterAutoscalerOptions struct {
	// ScaleDownUtilizationThreshold is the utilization below which a node may be removed, 0 to 1.
	ScaleDownUtilizationThreshold *float64 `json:"scaleDownUtilizationThreshold,omitempty" protobuf:"fixed64,1,opt,name=scaleDownUtilizationThreshold"`

	// ScaleDownGpuUtilizationThreshold is the GPU utilization below which a node may be removed, 0 to 1.
	ScaleDownGpuUtilizationThreshold *float64 `json:"scaleDownGpuUtilizationThreshold,omitempty" protobuf:"fixed64,2,opt,name=scaleDownGpuUtilizationThreshold"`

	// ScaleDownUnneededTime is how long a node must be unneeded before it goes.
	ScaleDownUnneededTime *metav1.Duration `json:"scaleDownUnneededTime,omitempty" protobuf:"bytes,3,opt,name=scaleDownUnneededTime"`

	// ScaleDownUnreadyTime is how long a node must be unready before it goes.
	ScaleDownUnreadyTime *metav1.Duration `json:"scaleDownUnreadyTime,omitempty" protobuf:"bytes,4,opt,name=scaleDownUnreadyTime"`

	// MaxNodeProvisionTime is how long a node may take to come.
	MaxNodeProvisionTime *metav1.Duration `json:"maxNodeProvisionTime,omitempty" protobuf:"bytes,5,opt,name=maxNodeProvisionTime"`
}

// WorkerControlPlane makes a pool run the control plane of its own cluster.
type WorkerControlPlane struct {
	// Backup says where etcd backups go.
	Backup *Backup `json:"backup,omitempty" protobuf:"bytes,1,opt,name=backup"`

	// Exposure says how the API server is reached.
	Exposure *Exposure `json:"exposure,omitempty" protobuf:"bytes,2,opt,name=exposure"`
}

// Exposure says how the API server of a self-hosted cluster is reached.
type Exposure struct {
	// Extension exposes it by an extension.
	Extension *ExtensionExposure `json:"extension,omitempty" protobuf:"bytes,1,opt,name=extension"`

	// DNS exposes it by DNS records.
	DNS *DNSExposure `json:"dns,omitempty" protobuf:"bytes,2,opt,name=dns"`
}

// ExtensionExposure exposes an API server by an extension.
type ExtensionExposure struct {
	// Type is the type of the extension; the provider type if unset.
	Type *string `json:"type,omitempty" protobuf:"bytes,1,opt,name=type"`

	// ProviderConfig is configuration in the format of the extension.
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty" protobuf:"bytes,2,opt,name=providerConfig"`
}

// DNSExposure exposes an API server by DNS records.
type DNSExposure struct {
}
