package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Machine is one machine of a provider and the node it becomes.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=machines,shortName=mc,singular=machine
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.currentStatus.phase`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Node",type=string,JSONPath=`.metadata.labels.node`
// +kubebuilder:printcolumn:name="ProviderID",type=string,priority=1,JSONPath=`.spec.providerID`
type Machine struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the machine wanted.
	// +optional
	Spec MachineSpec `json:"spec,omitempty"`
	// Status is the machine as it is.
	// +optional
	Status MachineStatus `json:"status,omitempty"`
}

// MachineSpec is the machine wanted.
type MachineSpec struct {
	// Class refers to the MachineClass.
	// +optional
	Class ClassSpec `json:"class,omitempty"`
	// ProviderID is the provider's name for the machine, once it exists.
	// +optional
	ProviderID string `json:"providerID,omitempty"`
	// NodeTemplateSpec holds labels, annotations and taints for the node.
	// +optional
	NodeTemplateSpec NodeTemplateSpec `json:"nodeTemplate,omitempty"`
	// MachineConfiguration overrides the controller's timeouts for this machine; nil overrides none.
	*MachineConfiguration `json:",inline"`
}

// NodeTemplateSpec holds the fields to set on the node.
type NodeTemplateSpec struct {
	// ObjectMeta carries labels and annotations for the node.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// Spec carries taints for the node.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Spec corev1.NodeSpec `json:"spec,omitempty"`
}

// MachineTemplateSpec is the pattern of a MachineSet's machines.
type MachineTemplateSpec struct {
	// ObjectMeta carries labels and annotations for the machine.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// Spec is the spec of the machine.
	// +optional
	Spec MachineSpec `json:"spec,omitempty"`
}

// MachineConfiguration holds what may differ from the controller's settings per machine.
type MachineConfiguration struct {
	// MachineDrainTimeout bounds the draining of the node; pods that remain are then deleted.
	// +optional
	MachineDrainTimeout *metav1.Duration `json:"drainTimeout,omitempty"`
	// MachineHealthTimeout is how long a node may be unhealthy before its machine fails.
	// +optional
	MachineHealthTimeout *metav1.Duration `json:"healthTimeout,omitempty"`
	// MachineCreationTimeout is how long a machine may take to become a ready node.
	// +optional
	MachineCreationTimeout *metav1.Duration `json:"creationTimeout,omitempty"`
	// MachineInPlaceUpdateTimeout bounds an update in place.
	// +optional
	MachineInPlaceUpdateTimeout *metav1.Duration `json:"inPlaceUpdateTimeout,omitempty"`
	// MachinePreserveTimeout is how long a failed machine is kept for inspection.
	// +optional
	MachinePreserveTimeout *metav1.Duration `json:"machinePreserveTimeout,omitempty"`
	// DisableHealthTimeout keeps an unhealthy machine from failing.
	// +optional
	DisableHealthTimeout *bool `json:"disableHealthTimeout,omitempty"`
	// MaxEvictRetries bounds the evictions tried per pod.
	// +optional
	MaxEvictRetries *int32 `json:"maxEvictRetries,omitempty"`
	// NodeConditions lists, separated by commas, the node conditions that make a machine unhealthy when True.
	// +optional
	NodeConditions *string `json:"nodeConditions,omitempty"`
}

// ClassSpec refers to a class.
type ClassSpec struct {
	// APIGroup of the class; empty means this group.
	// +optional
	APIGroup string `json:"apiGroup,omitempty"`
	// Kind of the class.
	// +optional
	Kind string `json:"kind,omitempty"`
	// Name of the class.
	// +optional
	Name string `json:"name,omitempty"`
}

// MachineStatus is the machine as it is.
type MachineStatus struct {
	// Addresses by which the machine can be reached.
	// +optional
	// +listType=atomic
	Addresses []corev1.NodeAddress `json:"addresses,omitempty"`
	// Conditions repeats the conditions of the node.
	// +optional
	// +listType=atomic
	Conditions []corev1.NodeCondition `json:"conditions,omitempty"`
	// LastOperation is what was done last.
	// +optional
	LastOperation LastOperation `json:"lastOperation,omitempty,omitzero"`
	// CurrentStatus is the phase of the machine.
	// +optional
	CurrentStatus CurrentStatus `json:"currentStatus,omitempty,omitzero"`
	// LastKnownState is for the driver to remember things in.
	// +optional
	LastKnownState string `json:"lastKnownState,omitempty"`
}

// LastOperation is what was done to a machine last.
type LastOperation struct {
	// Description for people.
	// +optional
	Description string `json:"description,omitempty"`
	// ErrorCode is the class of the failure, if the driver gave one.
	// +optional
	ErrorCode string `json:"errorCode,omitempty"`
	// LastUpdateTime is when this was written.
	// +optional
	LastUpdateTime metav1.Time `json:"lastUpdateTime,omitempty,omitzero"`
	// State is how far it got.
	// +optional
	State MachineState `json:"state,omitempty"`
	// Type is what was done.
	// +optional
	Type MachineOperationType `json:"type,omitempty"`
}

// CurrentStatus is the phase of a machine.
type CurrentStatus struct {
	// Phase of the machine.
	// +optional
	Phase MachinePhase `json:"phase,omitempty"`
	// TimeoutActive says that a timeout runs in this phase.
	// +optional
	TimeoutActive bool `json:"timeoutActive,omitempty"`
	// LastUpdateTime is when the phase began.
	// +optional
	LastUpdateTime metav1.Time `json:"lastUpdateTime,omitempty,omitzero"`
	// PreserveExpiryTime is until when the machine is kept.
	// +optional
	PreserveExpiryTime *metav1.Time `json:"preserveExpiryTime,omitempty"`
}

// MachineSummary describes a failed machine in the status of its owners.
type MachineSummary struct {
	// Name of the machine.
	// +optional
	Name string `json:"name,omitempty"`
	// ProviderID of the machine.
	// +optional
	ProviderID string `json:"providerID,omitempty"`
	// LastOperation is the one that failed.
	// +optional
	LastOperation LastOperation `json:"lastOperation,omitempty,omitzero"`
	// OwnerRef is the name of the machine's owner.
	// +optional
	OwnerRef string `json:"ownerRef,omitempty"`
}

// MachineList is a list of Machines.
//
// +kubebuilder:object:root=true
type MachineList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of Machines.
	Items []Machine `json:"items"`
}
