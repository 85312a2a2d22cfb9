package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// EtcdOpsTask is something to be done once with an Etcd.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=etcdopstasks,singular=etcdopstask,shortName=eot
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type EtcdOpsTask struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the operation.
	Spec EtcdOpsTaskSpec `json:"spec"`
	// Status is how far it is.
	// +optional
	Status EtcdOpsTaskStatus `json:"status,omitempty"`
}

// EtcdOpsTaskSpec is the operation. Its fields cannot be set, changed or removed later.
//
// +kubebuilder:validation:XValidation:rule="has(self.etcdName) == has(oldSelf.etcdName)",message="etcdName is immutable"
type EtcdOpsTaskSpec struct {
	// Config is the one operation; immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="config is immutable"
	Config EtcdOpsTaskConfig `json:"config"`
	// TTLSecondsAfterFinished is how long the task is kept once it is done; immutable.
	// +optional
	// +kubebuilder:default=3600
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="ttlSecondsAfterFinished is immutable"
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`
	// EtcdName is the Etcd of the same namespace; immutable.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="etcdName is immutable"
	EtcdName *string `json:"etcdName,omitempty"`
}

// EtcdOpsTaskConfig is one operation.
//
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=1
type EtcdOpsTaskConfig struct {
	// OnDemandSnapshot takes a snapshot now.
	// +optional
	OnDemandSnapshot *OnDemandSnapshotConfig `json:"onDemandSnapshot,omitempty"`
}

// OnDemandSnapshotType is what a snapshot contains.
// +kubebuilder:validation:Enum=full;delta
type OnDemandSnapshotType string

const (
	// OnDemandSnapshotTypeFull is a snapshot of everything.
	OnDemandSnapshotTypeFull OnDemandSnapshotType = "full"
	// OnDemandSnapshotTypeDelta is a snapshot of the changes since the last one.
	OnDemandSnapshotTypeDelta OnDemandSnapshotType = "delta"
)

// OnDemandSnapshotConfig is a snapshot to be taken.
type OnDemandSnapshotConfig struct {
	// Type is what the snapshot contains.
	Type OnDemandSnapshotType `json:"type"`
	// IsFinal marks the snapshot as the last one, which is kept when others are collected.
	// +optional
	IsFinal *bool `json:"isFinal,omitempty"`
	// TimeoutSecondsDelta bounds the time for a delta snapshot.
	// +optional
	// +kubebuilder:default=60
	// +kubebuilder:validation:Minimum=10
	TimeoutSecondsDelta *int32 `json:"timeoutSecondsDelta,omitempty"`
	// TimeoutSecondsFull bounds the time for a full snapshot.
	// +optional
	// +kubebuilder:default=900
	// +kubebuilder:validation:Minimum=120
	TimeoutSecondsFull *int32 `json:"timeoutSecondsFull,omitempty"`
}

// EtcdOpsTaskState is how far a task is.
// +kubebuilder:validation:Enum=Pending;InProgress;Succeeded;Failed;Rejected
type EtcdOpsTaskState string

const (
	// EtcdOpsTaskStatePending has not begun.
	EtcdOpsTaskStatePending EtcdOpsTaskState = "Pending"
	// EtcdOpsTaskStateInProgress is under way.
	EtcdOpsTaskStateInProgress EtcdOpsTaskState = "InProgress"
	// EtcdOpsTaskStateSucceeded is done.
	EtcdOpsTaskStateSucceeded EtcdOpsTaskState = "Succeeded"
	// EtcdOpsTaskStateFailed was begun and did not end well.
	EtcdOpsTaskStateFailed EtcdOpsTaskState = "Failed"
	// EtcdOpsTaskStateRejected could not be begun.
	EtcdOpsTaskStateRejected EtcdOpsTaskState = "Rejected"
)

// EtcdOpsTaskStatus is how far a task is.
type EtcdOpsTaskStatus struct {
	// State is how far the task is.
	// +optional
	State *EtcdOpsTaskState `json:"state,omitempty"`
	// LastTransitionTime is when the state changed last.
	// +optional
	LastTransitionTime *metav1.Time `json:"lastTransitionTime,omitempty"`
	// StartedAt is when the task was begun.
	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`
	// LastErrors are the errors met.
	// +optional
	// +listType=atomic
	LastErrors []LastError `json:"lastErrors,omitempty"`
	// LastOperation is what was done last.
	// +optional
	LastOperation *LastOperation `json:"lastOperation,omitempty"`
}

// EtcdOpsTaskList is a list of EtcdOpsTasks.
//
// +kubebuilder:object:root=true
type EtcdOpsTaskList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of EtcdOpsTasks.
	Items []EtcdOpsTask `json:"items"`
}
