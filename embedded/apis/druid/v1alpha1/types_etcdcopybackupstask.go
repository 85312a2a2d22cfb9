package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// EtcdCopyBackupsTask copies backups from one store to another.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=etcdcopybackupstasks,singular=etcdcopybackupstask
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type EtcdCopyBackupsTask struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the copy wanted.
	// +optional
	Spec EtcdCopyBackupsTaskSpec `json:"spec,omitempty"`
	// Status is the copy as it is.
	// +optional
	Status EtcdCopyBackupsTaskStatus `json:"status,omitempty"`
}

// EtcdCopyBackupsTaskSpec is the copy wanted.
type EtcdCopyBackupsTaskSpec struct {
	// PodLabels are added to the pods of the task.
	// +optional
	PodLabels map[string]string `json:"podLabels,omitempty"`
	// SourceStore is where backups are read.
	SourceStore StoreSpec `json:"sourceStore"`
	// TargetStore is where backups are written.
	TargetStore StoreSpec `json:"targetStore"`
	// MaxBackupAge in days of the backups to copy.
	// +optional
	MaxBackupAge *uint32 `json:"maxBackupAge,omitempty"`
	// MaxBackups bounds the number of backups to copy.
	// +optional
	MaxBackups *uint32 `json:"maxBackups,omitempty"`
	// WaitForFinalSnapshot makes the task wait for the source's last snapshot.
	// +optional
	WaitForFinalSnapshot *WaitForFinalSnapshotSpec `json:"waitForFinalSnapshot,omitempty"`
}

// WaitForFinalSnapshotSpec makes a task wait for the source's last snapshot.
type WaitForFinalSnapshotSpec struct {
	// Enabled switches waiting on.
	Enabled bool `json:"enabled"`
	// Timeout bounds the wait; forever when unset.
	// +optional
	Timeout *metav1.Duration `json:"timeout,omitempty"`
}

// Types of an EtcdCopyBackupsTask's conditions.
const (
	// EtcdCopyBackupsTaskSucceeded means that the backups are copied.
	EtcdCopyBackupsTaskSucceeded ConditionType = "Succeeded"
	// EtcdCopyBackupsTaskFailed means that the backups cannot be copied.
	EtcdCopyBackupsTaskFailed ConditionType = "Failed"
)

// EtcdCopyBackupsTaskStatus is the copy as it is.
type EtcdCopyBackupsTaskStatus struct {
	// Conditions are the observations about the task.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []Condition `json:"conditions,omitempty"`
	// ObservedGeneration is the generation reconciled last.
	// +optional
	ObservedGeneration *int64 `json:"observedGeneration,omitempty"`
	// LastError is the error met last.
	// +optional
	LastError *string `json:"lastError,omitempty"`
}

// EtcdCopyBackupsTaskList is a list of EtcdCopyBackupsTasks.
//
// +kubebuilder:object:root=true
type EtcdCopyBackupsTaskList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of EtcdCopyBackupsTasks.
	Items []EtcdCopyBackupsTask `json:"items"`
}
