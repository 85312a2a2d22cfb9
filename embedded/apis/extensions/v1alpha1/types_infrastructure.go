package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// InfrastructureResource is the name of the kind Infrastructure.
const InfrastructureResource = "Infrastructure"

var _ Object = (*Infrastructure)(nil)

// Infrastructure is what must exist at the provider before machines can: networks, keys, roles.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=infrastructures,singular=infrastructure,shortName=infra
// +kubebuilder:metadata:labels="gardener.cloud/deletion-protected=true"
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.type`
// +kubebuilder:printcolumn:name="Region",type=string,JSONPath=`.spec.region`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.lastOperation.state`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Infrastructure struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the desired state.
	Spec InfrastructureSpec `json:"spec"`
	// Status is the observed state.
	// +optional
	Status InfrastructureStatus `json:"status,omitempty"`
}

// GetExtensionSpec implements Object.
func (i *Infrastructure) GetExtensionSpec() Spec { return &i.Spec }

// GetExtensionStatus implements Object.
func (i *Infrastructure) GetExtensionStatus() Status { return &i.Status }

// InfrastructureSpec is the desired state of an Infrastructure.
type InfrastructureSpec struct {
	DefaultSpec `json:",inline"`
	// Region of the provider; immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="region is immutable"
	Region string `json:"region"`
	// SecretRef names the credentials.
	SecretRef corev1.SecretReference `json:"secretRef"`
	// SSHPublicKey is the key for the nodes, when SSH is wanted.
	// +optional
	SSHPublicKey []byte `json:"sshPublicKey,omitempty"`
}

// InfrastructureStatus is the observed state of an Infrastructure.
type InfrastructureStatus struct {
	DefaultStatus `json:",inline"`
	// NodesCIDR is the network of the nodes, when the provider chose it.
	// +optional
	NodesCIDR *string `json:"nodesCIDR,omitempty"`
	// EgressCIDRs are the addresses from which the cluster calls the world.
	// +optional
	// +listType=atomic
	EgressCIDRs []string `json:"egressCIDRs,omitempty"`
	// Networking lists the networks that the provider chose.
	// +optional
	Networking *InfrastructureStatusNetworking `json:"networking,omitempty"`
}

// InfrastructureStatusNetworking lists the networks that the provider chose.
type InfrastructureStatusNetworking struct {
	// Pods are the networks of pods.
	// +optional
	// +listType=atomic
	Pods []string `json:"pods,omitempty"`
	// Nodes are the networks of nodes.
	// +optional
	// +listType=atomic
	Nodes []string `json:"nodes,omitempty"`
	// Services are the networks of Services.
	// +optional
	// +listType=atomic
	Services []string `json:"services,omitempty"`
}

// InfrastructureList is a list of Infrastructures.
//
// +kubebuilder:object:root=true
type InfrastructureList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of Infrastructures.
	Items []Infrastructure `json:"items"`
}
