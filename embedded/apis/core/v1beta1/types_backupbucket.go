package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// BackupBucket is a bucket of an object store for the etcd backups of a seed.
type BackupBucket struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec BackupBucketSpec `json:"spec" protobuf:"bytes,2,opt,name=spec"`

	// Status is the observed state.
	Status BackupBucketStatus `json:"status" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// BackupBucketList is a list of BackupBucket objects.
type BackupBucketList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []BackupBucket `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// BackupBucketSpec is the desired state of a BackupBucket.
type BackupBucketSpec struct {
	// Provider is the provider of the bucket; it cannot be changed.
	Provider BackupBucketProvider `json:"provider" protobuf:"bytes,1,opt,name=provider"`

	// ProviderConfig is configuration in the format of the provider.
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty" protobuf:"bytes,2,opt,name=providerConfig"`

	// SecretRef refers to the Secret with the credentials; kept equal to credentialsRef.
	SecretRef corev1.SecretReference `json:"secretRef,omitempty" protobuf:"bytes,3,opt,name=secretRef"`

	// SeedName is the seed whose gardenlet is responsible; it cannot be changed.
	SeedName *string `json:"seedName,omitempty" protobuf:"bytes,4,opt,name=seedName"`

	// CredentialsRef refers to the credentials.
	CredentialsRef *corev1.ObjectReference `json:"credentialsRef,omitempty" protobuf:"bytes,5,opt,name=credentialsRef"`

	// ShootRef refers to the self-hosted Shoot, instead of a seed.
	ShootRef *corev1.ObjectReference `json:"shootRef,omitempty" protobuf:"bytes,6,opt,name=shootRef"`
}

// BackupBucketStatus is the observed state of a BackupBucket.
type BackupBucketStatus struct {
	// ProviderStatus is a document of the provider.
	ProviderStatus *runtime.RawExtension `json:"providerStatus,omitempty" protobuf:"bytes,1,opt,name=providerStatus"`

	// LastOperation describes the latest operation on the bucket.
	LastOperation *LastOperation `json:"lastOperation,omitempty" protobuf:"bytes,2,opt,name=lastOperation"`

	// LastError is the error of the latest operation.
	LastError *LastError `json:"lastError,omitempty" protobuf:"bytes,3,opt,name=lastError"`

	// ObservedGeneration is the generation that was last acted upon.
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,4,opt,name=observedGeneration"`

	// GeneratedSecretRef refers to credentials made for the bucket, which replace those of the specification.
	GeneratedSecretRef *corev1.SecretReference `json:"generatedSecretRef,omitempty" protobuf:"bytes,5,opt,name=generatedSecretRef"`
}

// BackupBucketProvider is the provider of a bucket.
type BackupBucketProvider struct {
	// Type is the provider type.
	Type string `json:"type" protobuf:"bytes,1,opt,name=type"`

	// Region is the region of the bucket.
	Region string `json:"region" protobuf:"bytes,2,opt,name=region"`
}
