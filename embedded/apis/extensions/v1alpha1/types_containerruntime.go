package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ContainerRuntimeResource is the name of the kind ContainerRuntime.
const ContainerRuntimeResource = "ContainerRuntime"

var _ Object = (*ContainerRuntime)(nil)

// ContainerRuntime is a further runtime on the nodes of one pool.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=containerruntimes,singular=containerruntime,shortName=cr
// +kubebuilder:metadata:labels="gardener.cloud/deletion-protected=true"
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.type`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.lastOperation.state`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ContainerRuntime struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the desired state.
	Spec ContainerRuntimeSpec `json:"spec"`
	// Status is the observed state.
	// +optional
	Status ContainerRuntimeStatus `json:"status,omitempty"`
}

// GetExtensionSpec implements Object.
func (c *ContainerRuntime) GetExtensionSpec() Spec { return &c.Spec }

// GetExtensionStatus implements Object.
func (c *ContainerRuntime) GetExtensionStatus() Status { return &c.Status }

// ContainerRuntimeSpec is the desired state of a ContainerRuntime.
type ContainerRuntimeSpec struct {
	// BinaryPath is the directory on the node for the runtime's files.
	BinaryPath string `json:"binaryPath"`
	// WorkerPool selects the nodes.
	WorkerPool  ContainerRuntimeWorkerPool `json:"workerPool"`
	DefaultSpec `json:",inline"`
}

// ContainerRuntimeWorkerPool selects the nodes of one pool.
type ContainerRuntimeWorkerPool struct {
	// Name of the pool.
	Name string `json:"name"`
	// Selector picks the nodes.
	Selector metav1.LabelSelector `json:"selector"`
}

// ContainerRuntimeStatus is the observed state of a ContainerRuntime.
type ContainerRuntimeStatus struct {
	DefaultStatus `json:",inline"`
}

// ContainerRuntimeList is a list of ContainerRuntimes.
//
// +kubebuilder:object:root=true
type ContainerRuntimeList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of ContainerRuntimes.
	Items []ContainerRuntime `json:"items"`
}
