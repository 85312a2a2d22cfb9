package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ExtensionResource is the name of the kind Extension.
const ExtensionResource = "Extension"

var _ Object = (*Extension)(nil)

// Extension is any further thing an extension does for a cluster.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=extensions,singular=extension,shortName=ext
// +kubebuilder:metadata:labels="gardener.cloud/deletion-protected=true"
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.type`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.lastOperation.state`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Extension struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the desired state.
	Spec ExtensionSpec `json:"spec"`
	// Status is the observed state.
	// +optional
	Status ExtensionStatus `json:"status,omitempty"`
}

// GetExtensionSpec implements Object.
func (e *Extension) GetExtensionSpec() Spec { return &e.Spec }

// GetExtensionStatus implements Object.
func (e *Extension) GetExtensionStatus() Status { return &e.Status }

// ExtensionSpec is the desired state of an Extension.
type ExtensionSpec struct {
	DefaultSpec `json:",inline"`
}

// ExtensionStatus is the observed state of an Extension.
type ExtensionStatus struct {
	DefaultStatus `json:",inline"`
}

// ExtensionList is a list of Extensions.
//
// +kubebuilder:object:root=true
type ExtensionList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of Extensions.
	Items []Extension `json:"items"`
}
