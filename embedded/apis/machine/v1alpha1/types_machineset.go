package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MachineSet keeps a number of like machines.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
// +kubebuilder:resource:path=machinesets,shortName=mcs,singular=machineset
// +kubebuilder:printcolumn:name="Desired",type=integer,JSONPath=`.spec.replicas`
// +kubebuilder:printcolumn:name="Current",type=integer,JSONPath=`.status.replicas`
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type MachineSet struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the set wanted.
	// +optional
	Spec MachineSetSpec `json:"spec,omitempty"`
	// Status is the set as it is.
	// +optional
	Status MachineSetStatus `json:"status,omitempty"`
}

// MachineSetSpec is the set wanted.
type MachineSetSpec struct {
	// Replicas is the number of machines wanted.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// Selector picks the machines of the set.
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
	// MachineClass refers to the class when the template does not.
	// +optional
	MachineClass ClassSpec `json:"machineClass,omitempty"`
	// Template is the pattern for new machines.
	// +optional
	Template MachineTemplateSpec `json:"template,omitempty"`
	// MinReadySeconds is how long a machine must run to count as available.
	// +optional
	MinReadySeconds int32 `json:"minReadySeconds,omitempty"`
	// AutoPreserveFailedMachineMax bounds the failed machines kept for inspection.
	// +optional
	AutoPreserveFailedMachineMax *int32 `json:"autoPreserveFailedMachineMax,omitempty"`
}

// MachineSetConditionType is the type of a MachineSetCondition.
type MachineSetConditionType string

const (
	// MachineSetReplicaFailure means machines could not be created or deleted.
	MachineSetReplicaFailure MachineSetConditionType = "ReplicaFailure"
	// MachineSetFrozen means the set may not change its machines.
	MachineSetFrozen MachineSetConditionType = "Frozen"
)

// ConditionStatus is True, False or Unknown.
type ConditionStatus string

// Values of a condition.
const (
	ConditionTrue    ConditionStatus = "True"
	ConditionFalse   ConditionStatus = "False"
	ConditionUnknown ConditionStatus = "Unknown"
)

// MachineSetCondition is one observation about a MachineSet.
type MachineSetCondition struct {
	// Type of the condition.
	Type MachineSetConditionType `json:"type"`
	// Status of the condition.
	Status ConditionStatus `json:"status"`
	// LastTransitionTime is when Status changed last.
	// +optional
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty,omitzero"`
	// Reason in one word.
	// +optional
	Reason string `json:"reason,omitempty"`
	// Message for people.
	// +optional
	Message string `json:"message,omitempty"`
}

// MachineSetStatus is the set as it is.
type MachineSetStatus struct {
	// Replicas is the number of machines.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// FullyLabeledReplicas is the number of machines with all labels of the template.
	// +optional
	FullyLabeledReplicas int32 `json:"fullyLabeledReplicas,omitempty"`
	// ReadyReplicas is the number of running machines.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas,omitempty"`
	// AvailableReplicas is the number of machines that run for MinReadySeconds.
	// +optional
	AvailableReplicas int32 `json:"availableReplicas,omitempty"`
	// PreservedFailedReplicas is the number of failed machines kept for inspection.
	// +optional
	PreservedFailedReplicas int32 `json:"preservedFailedReplicas,omitempty"`
	// ObservedGeneration is the generation this status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions are the observations about the set.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []MachineSetCondition `json:"machineSetCondition,omitempty"`
	// LastOperation is what was done last to a machine of the set.
	// +optional
	LastOperation LastOperation `json:"lastOperation,omitempty,omitzero"`
	// FailedMachines describes machines that failed.
	// +optional
	// +listType=atomic
	FailedMachines *[]MachineSummary `json:"failedMachines,omitempty"`
	// AutoPreserveFailedMachineCount is the number of failed machines kept.
	// +optional
	AutoPreserveFailedMachineCount *int32 `json:"autoPreserveFailedMachineCount,omitempty"`
}

// MachineSetList is a list of MachineSets.
//
// +kubebuilder:object:root=true
type MachineSetList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of MachineSets.
	Items []MachineSet `json:"items"`
}
