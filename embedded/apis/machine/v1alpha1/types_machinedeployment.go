package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// MachineDeployment keeps a number of like machines and replaces them step by step when the pattern changes.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
// +kubebuilder:resource:path=machinedeployments,shortName=mcd,singular=machinedeployment
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="Desired",type=integer,JSONPath=`.spec.replicas`
// +kubebuilder:printcolumn:name="Up-to-date",type=integer,JSONPath=`.status.updatedReplicas`
// +kubebuilder:printcolumn:name="Available",type=integer,JSONPath=`.status.availableReplicas`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type MachineDeployment struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the deployment wanted.
	// +optional
	Spec MachineDeploymentSpec `json:"spec,omitempty"`
	// Status is the deployment as it is.
	// +optional
	Status MachineDeploymentStatus `json:"status,omitempty"`
}

// MachineDeploymentSpec is the deployment wanted.
type MachineDeploymentSpec struct {
	// Replicas is the number of machines wanted.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// Selector picks the MachineSets and machines of the deployment.
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
	// Template is the pattern for machines.
	Template MachineTemplateSpec `json:"template"`
	// Strategy says how machines are replaced.
	// +optional
	Strategy MachineDeploymentStrategy `json:"strategy,omitempty"`
	// MinReadySeconds is how long a machine must run to count as available.
	// +optional
	MinReadySeconds int32 `json:"minReadySeconds,omitempty"`
	// RevisionHistoryLimit bounds the empty MachineSets kept for a rollback; unset keeps all.
	// +optional
	RevisionHistoryLimit *int32 `json:"revisionHistoryLimit,omitempty"`
	// Paused deployments are scaled but not rolled.
	// +optional
	Paused bool `json:"paused,omitempty"`
	// RollbackTo restores the template of an earlier revision.
	// +optional
	RollbackTo *RollbackConfig `json:"rollbackTo,omitempty"`
	// ProgressDeadlineSeconds is how long the deployment may make no progress before it counts as stuck.
	// +optional
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitempty"`
	// AutoPreserveFailedMachineMax bounds the failed machines kept for inspection.
	// +optional
	AutoPreserveFailedMachineMax *int32 `json:"autoPreserveFailedMachineMax,omitempty"`
}

// RollbackConfig asks for a rollback.
type RollbackConfig struct {
	// Revision to go back to; 0 is the one before the current.
	// +optional
	Revision int64 `json:"revision,omitempty"`
}

// MachineDeploymentStrategyType says how machines are replaced.
type MachineDeploymentStrategyType string

const (
	// RecreateMachineDeploymentStrategyType removes all old machines before the first new one.
	RecreateMachineDeploymentStrategyType MachineDeploymentStrategyType = "Recreate"
	// RollingUpdateMachineDeploymentStrategyType replaces within maxSurge and maxUnavailable.
	RollingUpdateMachineDeploymentStrategyType MachineDeploymentStrategyType = "RollingUpdate"
	// InPlaceUpdateMachineDeploymentStrategyType keeps the machines and updates what is on them.
	InPlaceUpdateMachineDeploymentStrategyType MachineDeploymentStrategyType = "InPlaceUpdate"
)

// MachineDeploymentStrategy says how machines are replaced.
type MachineDeploymentStrategy struct {
	// Type of the strategy; RollingUpdate when empty.
	// +optional
	Type MachineDeploymentStrategyType `json:"type,omitempty"`
	// RollingUpdate bounds a rolling update.
	// +optional
	RollingUpdate *RollingUpdateMachineDeployment `json:"rollingUpdate,omitempty"`
	// InPlaceUpdate bounds an update in place.
	// +optional
	InPlaceUpdate *InPlaceUpdateMachineDeployment `json:"inPlaceUpdate,omitempty"`
}

// UpdateConfiguration bounds how many machines differ from the number wanted during an update.
type UpdateConfiguration struct {
	// MaxUnavailable is a number or a percentage of replicas, rounded down; 1 when unset.
	// +optional
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
	// MaxSurge is a number or a percentage of replicas, rounded up; 1 when unset.
	// +optional
	MaxSurge *intstr.IntOrString `json:"maxSurge,omitempty"`
}

// RollingUpdateMachineDeployment bounds a rolling update.
type RollingUpdateMachineDeployment struct {
	UpdateConfiguration `json:",inline"`
}

// OrchestrationType says who picks the machines to update in place.
type OrchestrationType string

// Who picks the machines to update in place.
const (
	OrchestrationTypeAuto   OrchestrationType = "Auto"
	OrchestrationTypeManual OrchestrationType = "Manual"
)

// InPlaceUpdateMachineDeployment bounds an update in place.
type InPlaceUpdateMachineDeployment struct {
	UpdateConfiguration `json:",inline"`
	// OrchestrationType says who picks the machines.
	// +optional
	OrchestrationType OrchestrationType `json:"orchestrationType,omitempty"`
}

// MachineDeploymentStatus is the deployment as it is.
type MachineDeploymentStatus struct {
	// ObservedGeneration is the generation this status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Replicas is the number of machines, old and new.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// UpdatedReplicas is the number of machines of the current template.
	// +optional
	UpdatedReplicas int32 `json:"updatedReplicas,omitempty"`
	// ReadyReplicas is the number of running machines.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas,omitempty"`
	// AvailableReplicas is the number of machines that run for MinReadySeconds.
	// +optional
	AvailableReplicas int32 `json:"availableReplicas,omitempty"`
	// PreservedFailedReplicas is the number of failed machines kept for inspection.
	// +optional
	PreservedFailedReplicas int32 `json:"preservedFailedReplicas,omitempty"`
	// UnavailableReplicas is how many available machines are missing.
	// +optional
	UnavailableReplicas int32 `json:"unavailableReplicas,omitempty"`
	// Conditions are the observations about the deployment.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []MachineDeploymentCondition `json:"conditions,omitempty"`
	// CollisionCount is mixed into the name of a new MachineSet when another one has that name.
	// +optional
	CollisionCount *int32 `json:"collisionCount,omitempty"`
	// FailedMachines describes machines that failed.
	// +optional
	// +listType=atomic
	FailedMachines []*MachineSummary `json:"failedMachines,omitempty"`
}

// MachineDeploymentConditionType is the type of a MachineDeploymentCondition.
type MachineDeploymentConditionType string

const (
	// MachineDeploymentAvailable means enough machines are available.
	MachineDeploymentAvailable MachineDeploymentConditionType = "Available"
	// MachineDeploymentProgressing means the deployment advances or is done.
	MachineDeploymentProgressing MachineDeploymentConditionType = "Progressing"
	// MachineDeploymentReplicaFailure means machines could not be created or deleted.
	MachineDeploymentReplicaFailure MachineDeploymentConditionType = "ReplicaFailure"
	// MachineDeploymentFrozen means the deployment may not change its machines.
	MachineDeploymentFrozen MachineDeploymentConditionType = "Frozen"
)

// MachineDeploymentCondition is one observation about a MachineDeployment.
type MachineDeploymentCondition struct {
	// Type of the condition.
	Type MachineDeploymentConditionType `json:"type"`
	// Status of the condition.
	Status ConditionStatus `json:"status"`
	// LastUpdateTime is when the condition was written last.
	// +optional
	LastUpdateTime metav1.Time `json:"lastUpdateTime,omitempty,omitzero"`
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

// MachineDeploymentList is a list of MachineDeployments.
//
// +kubebuilder:object:root=true
type MachineDeploymentList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of MachineDeployments.
	Items []MachineDeployment `json:"items"`
}
