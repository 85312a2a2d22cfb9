package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConditionStatus is the status of a condition.
// +kubebuilder:validation:Enum=True;False;Unknown;Progressing;ConditionCheckError
type ConditionStatus string

// Values of a condition.
const (
	ConditionTrue        ConditionStatus = "True"
	ConditionFalse       ConditionStatus = "False"
	ConditionUnknown     ConditionStatus = "Unknown"
	ConditionProgressing ConditionStatus = "Progressing"
	ConditionCheckError  ConditionStatus = "ConditionCheckError"
)

// ConditionType is the type of a condition.
type ConditionType string

// Types of an Etcd's conditions.
const (
	// ConditionTypeReady means that a majority of the members is ready.
	ConditionTypeReady ConditionType = "Ready"
	// ConditionTypeAllMembersReady means that all members are ready.
	ConditionTypeAllMembersReady ConditionType = "AllMembersReady"
	// ConditionTypeAllMembersUpdated means that all members run what the spec says.
	ConditionTypeAllMembersUpdated ConditionType = "AllMembersUpdated"
	// ConditionTypeBackupReady means that backups are made in time.
	ConditionTypeBackupReady ConditionType = "BackupReady"
	// ConditionTypeAllFieldsEffective is only there while it is False: the spec has fields without effect.
	ConditionTypeAllFieldsEffective ConditionType = "AllFieldsEffective"
	// ConditionTypeSnapshotCompactionSucceeded means that snapshots could be merged the last time.
	ConditionTypeSnapshotCompactionSucceeded ConditionType = "LastSnapshotCompactionSucceeded"
	// ConditionTypeDataVolumesReady means that the volumes are usable.
	ConditionTypeDataVolumesReady ConditionType = "DataVolumesReady"
)

// Condition is one observation.
type Condition struct {
	// Type of the condition.
	Type ConditionType `json:"type"`
	// Status of the condition.
	Status ConditionStatus `json:"status"`
	// LastTransitionTime is when Status changed last.
	LastTransitionTime metav1.Time `json:"lastTransitionTime"`
	// LastUpdateTime is when the condition was written last.
	LastUpdateTime metav1.Time `json:"lastUpdateTime"`
	// Reason in one word.
	Reason string `json:"reason"`
	// Message for people.
	Message string `json:"message"`
}

// EtcdMemberConditionStatus is the state of a member.
// +kubebuilder:validation:Enum=Ready;NotReady;Unknown
type EtcdMemberConditionStatus string

// States of a member.
const (
	EtcdMemberStatusReady    EtcdMemberConditionStatus = "Ready"
	EtcdMemberStatusNotReady EtcdMemberConditionStatus = "NotReady"
	EtcdMemberStatusUnknown  EtcdMemberConditionStatus = "Unknown"
)

// EtcdRole is the role of a member.
// +kubebuilder:validation:Enum=Leader;Member
type EtcdRole string

// Roles of a member.
const (
	EtcdRoleLeader EtcdRole = "Leader"
	EtcdRoleMember EtcdRole = "Member"
)

// EtcdMemberStatus is one member as it is.
type EtcdMemberStatus struct {
	// Name of the member.
	Name string `json:"name"`
	// ID of the member in hexadecimal.
	// +optional
	ID *string `json:"id,omitempty"`
	// Role of the member.
	// +optional
	Role *EtcdRole `json:"role,omitempty"`
	// Status of the member.
	Status EtcdMemberConditionStatus `json:"status"`
	// Reason in one word.
	Reason string `json:"reason"`
	// LastTransitionTime is when Status changed last.
	LastTransitionTime metav1.Time `json:"lastTransitionTime"`
}

// CrossVersionObjectReference names an object of the same namespace.
type CrossVersionObjectReference struct {
	// Kind of the object.
	// +optional
	Kind string `json:"kind,omitempty"`
	// Name of the object.
	// +optional
	Name string `json:"name,omitempty"`
	// APIVersion of the object.
	// +optional
	APIVersion string `json:"apiVersion,omitempty"`
}

// LastOperationType is what was done.
type LastOperationType string

// What may be done to an Etcd.
const (
	LastOperationTypeCreate    LastOperationType = "Create"
	LastOperationTypeReconcile LastOperationType = "Reconcile"
	LastOperationTypeDelete    LastOperationType = "Delete"
)

// LastOperationState is how far it got.
type LastOperationState string

// States of an operation.
const (
	LastOperationStateProcessing LastOperationState = "Processing"
	LastOperationStateSucceeded  LastOperationState = "Succeeded"
	LastOperationStateError      LastOperationState = "Error"
	LastOperationStateRequeue    LastOperationState = "Requeue"
)

// LastOperation is what was done last.
type LastOperation struct {
	// Type is what was done.
	Type LastOperationType `json:"type"`
	// State is how far it got.
	State LastOperationState `json:"state"`
	// Description for people.
	Description string `json:"description"`
	// RunID identifies one run.
	RunID string `json:"runID"`
	// LastUpdateTime is when this was written.
	LastUpdateTime metav1.Time `json:"lastUpdateTime"`
}

// ErrorCode says what failed.
type ErrorCode string

// LastError is an error of the last operation.
type LastError struct {
	// Code says what failed.
	Code ErrorCode `json:"code"`
	// Description for people.
	Description string `json:"description"`
	// ObservedAt is when it was seen.
	ObservedAt metav1.Time `json:"observedAt"`
}

// EtcdStatus is the cluster as it is.
type EtcdStatus struct {
	// ObservedGeneration is the generation reconciled last.
	// +optional
	ObservedGeneration *int64 `json:"observedGeneration,omitempty"`
	// Etcd refers to the StatefulSet.
	// +optional
	Etcd *CrossVersionObjectReference `json:"etcd,omitempty"`
	// Conditions are the observations about the cluster.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []Condition `json:"conditions,omitempty"`
	// LastErrors are the errors of the last operation.
	// +optional
	// +listType=atomic
	LastErrors []LastError `json:"lastErrors,omitempty"`
	// LastOperation is what was done last.
	// +optional
	LastOperation *LastOperation `json:"lastOperation,omitempty"`
	// CurrentReplicas is the number of pods of the current revision.
	// +optional
	CurrentReplicas int32 `json:"currentReplicas,omitempty"`
	// Replicas is the number of pods.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// ReadyReplicas is the number of ready pods.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas,omitempty"`
	// Ready is true when all pods wanted are ready and updated.
	// +optional
	Ready *bool `json:"ready,omitempty"`
	// LabelSelector picks the pods.
	// +optional
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
	// Members describes each member.
	// +optional
	// +listType=map
	// +listMapKey=name
	Members []EtcdMemberStatus `json:"members,omitempty"`
	// PeerUrlTLSEnabled says whether the members speak TLS with each other.
	// +optional
	PeerUrlTLSEnabled *bool `json:"peerUrlTLSEnabled,omitempty"`
	// Selector is LabelSelector as a string, for the scale subresource.
	// +optional
	Selector *string `json:"selector,omitempty"`
}
