package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SelfHostedShootExposureResource is the name of the kind SelfHostedShootExposure.
const SelfHostedShootExposureResource = "SelfHostedShootExposure"

var _ Object = (*SelfHostedShootExposure)(nil)

// SelfHostedShootExposure makes the API server of a cluster that runs its own control plane reachable from outside.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=selfhostedshootexposures,singular=selfhostedshootexposure,shortName=exp
// +kubebuilder:metadata:labels="gardener.cloud/deletion-protected=true"
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.type`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.lastOperation.state`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type SelfHostedShootExposure struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the desired state.
	Spec SelfHostedShootExposureSpec `json:"spec"`
	// Status is the observed state.
	// +optional
	Status SelfHostedShootExposureStatus `json:"status,omitempty"`
}

// GetExtensionSpec implements Object.
func (e *SelfHostedShootExposure) GetExtensionSpec() Spec { return &e.Spec }

// GetExtensionStatus implements Object.
func (e *SelfHostedShootExposure) GetExtensionStatus() Status { return &e.Status }

// SelfHostedShootExposureSpec is the desired state of a SelfHostedShootExposure.
type SelfHostedShootExposureSpec struct {
	DefaultSpec `json:",inline"`
	// CredentialsRef names the credentials for the infrastructure; none are needed when unset.
	// +optional
	CredentialsRef *corev1.ObjectReference `json:"credentialsRef,omitempty"`
	// Port of the API server on the endpoints.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port"`
	// Endpoints are the nodes that an API server runs on.
	// +listType=map
	// +listMapKey=nodeName
	Endpoints []ControlPlaneEndpoint `json:"endpoints"`
}

// ControlPlaneEndpoint is a node that an API server runs on.
type ControlPlaneEndpoint struct {
	// NodeName is the name of the node.
	// +kubebuilder:validation:MinLength=1
	NodeName string `json:"nodeName"`
	// Addresses of the node.
	// +listType=atomic
	Addresses []corev1.NodeAddress `json:"addresses"`
}

// SelfHostedShootExposureStatus is the observed state of a SelfHostedShootExposure.
type SelfHostedShootExposureStatus struct {
	DefaultStatus `json:",inline"`
	// Ingress is where the API server can be reached from outside.
	// +optional
	// +listType=atomic
	Ingress []corev1.LoadBalancerIngress `json:"ingress,omitempty"`
}

// SelfHostedShootExposureList is a list of SelfHostedShootExposures.
//
// +kubebuilder:object:root=true
type SelfHostedShootExposureList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of SelfHostedShootExposures.
	Items []SelfHostedShootExposure `json:"items"`
}
