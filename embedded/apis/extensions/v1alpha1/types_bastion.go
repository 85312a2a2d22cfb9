package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BastionResource is the name of the kind Bastion.
const BastionResource = "Bastion"

var _ Object = (*Bastion)(nil)

// Bastion is a host through which nodes can be reached by SSH for a while.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=bastions,singular=bastion
// +kubebuilder:metadata:labels="gardener.cloud/deletion-protected=true"
// +kubebuilder:printcolumn:name="IP",type=string,JSONPath=`.status.ingress.ip`
// +kubebuilder:printcolumn:name="Hostname",type=string,JSONPath=`.status.ingress.hostname`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Bastion struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the desired state.
	Spec BastionSpec `json:"spec"`
	// Status is the observed state.
	// +optional
	Status BastionStatus `json:"status,omitempty"`
}

// GetExtensionSpec implements Object.
func (b *Bastion) GetExtensionSpec() Spec { return &b.Spec }

// GetExtensionStatus implements Object.
func (b *Bastion) GetExtensionStatus() Status { return &b.Status }

// BastionSpec is the desired state of a Bastion.
type BastionSpec struct {
	DefaultSpec `json:",inline"`
	// UserData is run by the host when it boots; immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="userData is immutable"
	UserData []byte `json:"userData"`
	// Ingress lists who may connect.
	// +listType=atomic
	Ingress []BastionIngressPolicy `json:"ingress"`
}

// BastionIngressPolicy is a range of addresses that may connect.
type BastionIngressPolicy struct {
	// IPBlock is the range.
	IPBlock networkingv1.IPBlock `json:"ipBlock"`
}

// BastionStatus is the observed state of a Bastion.
type BastionStatus struct {
	DefaultStatus `json:",inline"`
	// Ingress is where the host can be reached.
	// +optional
	Ingress *corev1.LoadBalancerIngress `json:"ingress,omitempty"`
}

// BastionList is a list of Bastions.
//
// +kubebuilder:object:root=true
type BastionList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of Bastions.
	Items []Bastion `json:"items"`
}
