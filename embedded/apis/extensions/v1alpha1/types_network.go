package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NetworkResource is the name of the kind Network.
const NetworkResource = "Network"

var _ Object = (*Network)(nil)

// Network is the network between the pods of a cluster.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=networks,singular=network
// +kubebuilder:metadata:labels="gardener.cloud/deletion-protected=true"
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.type`
// +kubebuilder:printcolumn:name="Pod CIDR",type=string,JSONPath=`.spec.podCIDR`
// +kubebuilder:printcolumn:name="Service CIDR",type=string,JSONPath=`.spec.serviceCIDR`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.lastOperation.state`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Network struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the desired state.
	Spec NetworkSpec `json:"spec"`
	// Status is the observed state.
	// +optional
	Status NetworkStatus `json:"status,omitempty"`
}

// GetExtensionSpec implements Object.
func (n *Network) GetExtensionSpec() Spec { return &n.Spec }

// GetExtensionStatus implements Object.
func (n *Network) GetExtensionStatus() Status { return &n.Status }

// NetworkSpec is the desired state of a Network.
type NetworkSpec struct {
	DefaultSpec `json:",inline"`
	// PodCIDR is the network of pods; immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="podCIDR is immutable"
	PodCIDR string `json:"podCIDR"`
	// ServiceCIDR is the network of Services; immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="serviceCIDR is immutable"
	ServiceCIDR string `json:"serviceCIDR"`
	// IPFamilies are the families in use; IPv4 when unset.
	// +optional
	// +listType=atomic
	IPFamilies []IPFamily `json:"ipFamilies,omitempty"`
}

// IPFamily is a family of addresses.
// +kubebuilder:validation:Enum=IPv4;IPv6
type IPFamily string

// Families of addresses.
const (
	IPFamilyIPv4 IPFamily = "IPv4"
	IPFamilyIPv6 IPFamily = "IPv6"
)

// NetworkStatus is the observed state of a Network.
type NetworkStatus struct {
	DefaultStatus `json:",inline"`
	// IPFamilies are the families that work.
	// +optional
	// +listType=atomic
	IPFamilies []IPFamily `json:"ipFamilies,omitempty"`
}

// NetworkList is a list of Networks.
//
// +kubebuilder:object:root=true
type NetworkList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of Networks.
	Items []Network `json:"items"`
}
