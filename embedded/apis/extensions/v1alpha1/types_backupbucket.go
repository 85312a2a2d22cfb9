package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BackupBucketResource is the name of the kind BackupBucket.
const BackupBucketResource = "BackupBucket"

var _ Object = (*BackupBucket)(nil)

// BackupBucket is a place for the backups of many clusters.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=backupbuckets,singular=backupbucket,scope=Cluster,shortName=bb
// +kubebuilder:metadata:labels="gardener.cloud/deletion-protected=true"
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.type`
// +kubebuilder:printcolumn:name="Region",type=string,JSONPath=`.spec.region`
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.status.lastOperation.state`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type BackupBucket struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the desired state.
	Spec BackupBucketSpec `json:"spec"`
	// Status is the observed state.
	// +optional
	Status BackupBucketStatus `json:"status,omitempty"`
}

// GetExtensionSpec implements Object.
func (b *BackupBucket) GetExtensionSpec() Spec { return &b.Spec }

// GetExtensionStatus implements Object.
func (b *BackupBucket) GetExtensionStatus() Status { return &b.Status }

// BackupBucketSpec is the desired state of a BackupBucket.
type BackupBucketSpec struct {
	DefaultSpec `json:",inline"`
	// Region of the provider; immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="region is immutable"
	Region string `json:"region"`
	// SecretRef names the credentials.
	SecretRef corev1.SecretReference `json:"secretRef"`
}

// BackupBucketStatus is the observed state of a BackupBucket.
type BackupBucketStatus struct {
	DefaultStatus `json:",inline"`
	// GeneratedSecretRef names credentials made for this bucket alone.
	// +optional
	GeneratedSecretRef *corev1.SecretReference `json:"generatedSecretRef,omitempty"`
}

// BackupBucketList is a list of BackupBuckets.
//
// +kubebuilder:object:root=true
type BackupBucketList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of BackupBuckets.
	Items []BackupBucket `json:"items"`
}
