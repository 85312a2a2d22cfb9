package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// BackupEntry is the directory of one shoot in a bucket.
type BackupEntry struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec BackupEntrySpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`

	// Status is the observed state.
	Status BackupEntryStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// BackupEntryList is a list of BackupEntry objects.
type BackupEntryList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []BackupEntry `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// BackupEntrySpec is the desired state of a BackupEntry.
type BackupEntrySpec struct {
	// BucketName is the BackupBucket; it cannot be changed.
	BucketName string `json:"bucketName" protobuf:"bytes,1,opt,name=bucketName"`

	// SeedName is the seed whose gardenlet is responsible.
	SeedName *string `json:"seedName,omitempty" protobuf:"bytes,2,opt,name=seedName"`

	// ShootRef refers to the self-hosted Shoot, instead of a seed.
	ShootRef *corev1.ObjectReference `json:"shootRef,omitempty" protobuf:"bytes,3,opt,name=shootRef"`
}

// BackupEntryStatus is the observed state of a BackupEntry.
type BackupEntryStatus struct {
	// LastOperation describes the latest operation on the entry.
	LastOperation *LastOperation `json:"lastOperation,omitempty" protobuf:"bytes,1,opt,name=lastOperation"`

	// LastError is the error of the latest operation.
	LastError *LastError `json:"lastError,omitempty" protobuf:"bytes,2,opt,name=lastError"`

	// ObservedGeneration is the generation that was last acted upon.
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,3,opt,name=observedGeneration"`

	// SeedName is the seed that was last responsible.
	SeedName *string `json:"seedName,omitempty" protobuf:"bytes,4,opt,name=seedName"`

	// MigrationStartTime is when a move to another seed began.
	MigrationStartTime *metav1.Time `json:"migrationStartTime,omitempty" protobuf:"bytes,5,opt,name=migrationStartTime"`
}
