package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// ControlPlaneResource is the name of the kind ControlPlane.
const ControlPlaneResource = "ControlPlane"

var _ Object = (*ControlPlane)(nil)

// ControlPlane is the provider's part of a control plane.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=controlplanes,singular=controlplane,shortName=cp
// +kubebuilder:metadata:labels="gardener.cloud/deletion-protected=true"
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.type`
// +kubebuilder:printcolumn:name="Purpose",type=string,JSONPath=`.spec.purpose`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.lastOperation.state`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ControlPlane struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the desired state.
	Spec ControlPlaneSpec `json:"spec"`
	// Status is the observed state.
	// +optional
	Status ControlPlaneStatus `json:"status,omitempty"`
}

// GetExtensionSpec implements Object.
func (c *ControlPlane) GetExtensionSpec() Spec { return &c.Spec }

// GetExtensionStatus implements Object.
func (c *ControlPlane) GetExtensionStatus() Status { return &c.Status }

// ControlPlaneSpec is the desired state of a ControlPlane.
//
// +kubebuilder:validation:XValidation:rule="(has(self.purpose) ? self.purpose : 'normal') == (has(oldSelf.purpose) ? oldSelf.purpose : 'normal')",message="purpose is immutable"
type ControlPlaneSpec struct {
	DefaultSpec `json:",inline"`
	// Purpose of the object; normal when unset; immutable.
	// +optional
	Purpose *Purpose `json:"purpose,omitempty"`
	// InfrastructureProviderStatus repeats the providerStatus of the Infrastructure.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	InfrastructureProviderStatus *runtime.RawExtension `json:"infrastructureProviderStatus,omitempty"`
	// Region of the provider; immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="region is immutable"
	Region string `json:"region"`
	// SecretRef names the credentials.
	SecretRef corev1.SecretReference `json:"secretRef"`
}

// Purpose says what a ControlPlane is for.
// +kubebuilder:validation:Enum=normal;exposure
type Purpose string

// Purposes of a ControlPlane.
const (
	Normal   Purpose = "normal"
	Exposure Purpose = "exposure"
)

// GetExtensionPurpose implements Spec.
func (s *ControlPlaneSpec) GetExtensionPurpose() *string { return (*string)(s.Purpose) }

// ControlPlaneStatus is the observed state of a ControlPlane.
type ControlPlaneStatus struct {
	DefaultStatus `json:",inline"`
}

// ControlPlaneList is a list of ControlPlanes.
//
// +kubebuilder:object:root=true
type ControlPlaneList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of ControlPlanes.
	Items []ControlPlane `json:"items"`
}
