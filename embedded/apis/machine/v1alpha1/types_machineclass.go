package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// MachineClass is what a driver needs to make machines of one sort.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=machineclasses,shortName=mcc,singular=machineclass
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type MachineClass struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// NodeTemplate describes the capacity of a node of this class for the autoscaler before a node exists.
	// +optional
	NodeTemplate *NodeTemplate `json:"nodeTemplate,omitempty"`
	// CredentialsSecretRef names the secret with the provider's credentials; SecretRef serves when unset.
	// +optional
	CredentialsSecretRef *corev1.SecretReference `json:"credentialsSecretRef,omitempty"`
	// Provider is the name of the driver in charge.
	// +optional
	Provider string `json:"provider,omitempty"`
	// ProviderSpec is the driver's own description of the machine.
	// +kubebuilder:pruning:PreserveUnknownFields
	ProviderSpec runtime.RawExtension `json:"providerSpec"`
	// SecretRef names the secret with the machine's user data under the key userData.
	// +optional
	SecretRef *corev1.SecretReference `json:"secretRef,omitempty"`
}

// NodeTemplate describes a node before it exists.
type NodeTemplate struct {
	// Capacity is what the node will offer.
	Capacity corev1.ResourceList `json:"capacity"`
	// VirtualCapacity is capacity that the machine itself does not have.
	// +optional
	VirtualCapacity corev1.ResourceList `json:"virtualCapacity,omitempty"`
	// InstanceType is the provider's machine type.
	InstanceType string `json:"instanceType"`
	// Region is where the machine runs.
	Region string `json:"region"`
	// Zone is where in the region the machine runs.
	Zone string `json:"zone"`
	// Architecture is the processor architecture.
	// +optional
	Architecture *string `json:"architecture,omitempty"`
}

// MachineClassList is a list of MachineClasses.
//
// +kubebuilder:object:root=true
type MachineClassList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of MachineClasses.
	Items []MachineClass `json:"items"`
}
