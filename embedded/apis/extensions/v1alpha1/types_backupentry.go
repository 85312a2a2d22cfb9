package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// BackupEntryResource is the name of the kind BackupEntry.
const BackupEntryResource = "BackupEntry"

var _ Object = (*BackupEntry)(nil)

// BackupEntry is the part of a bucket that one cluster uses.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=backupentries,singular=backupentry,scope=Cluster,shortName=be
// +kubebuilder:metadata:labels="gardener.cloud/deletion-protected=true"
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.type`
// +kubebuilder:printcolumn:name="Region",type=string,JSONPath=`.spec.region`
// +kubebuilder:printcolumn:name="Bucket",type=string,JSONPath=`.spec.bucketName`
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.status.lastOperation.state`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type BackupEntry struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the desired state.
	Spec BackupEntrySpec `json:"spec"`
	// Status is the observed state.
	// +optional
	Status BackupEntryStatus `json:"status,omitempty"`
}

// GetExtensionSpec implements Object.
func (b *BackupEntry) GetExtensionSpec() Spec { return &b.Spec }

// GetExtensionStatus implements Object.
func (b *BackupEntry) GetExtensionStatus() Status { return &b.Status }

// BackupEntrySpec is the desired state of a BackupEntry.
type BackupEntrySpec struct {
	DefaultSpec `json:",inline"`
	// BackupBucketProviderStatus repeats the providerStatus of the BackupBucket.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	BackupBucketProviderStatus *runtime.RawExtension `json:"backupBucketProviderStatus,omitempty"`
	// Region of the provider; immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="region is immutable"
	Region string `json:"region"`
	// BucketName is the name of the bucket.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="bucketName is immutable"
	BucketName string `json:"bucketName"`
	// SecretRef names the credentials.
	SecretRef corev1.SecretReference `json:"secretRef"`
}

// BackupEntryStatus is the observed state of a BackupEntry.
type BackupEntryStatus struct {
	DefaultStatus `json:",inline"`
}

// BackupEntryList is a list of BackupEntrys.
//
// +kubebuilder:object:root=true
type BackupEntryList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of BackupEntrys.
	Items []BackupEntry `json:"items"`
}
