package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DNSRecordResource is the name of the kind DNSRecord.
const DNSRecordResource = "DNSRecord"

var _ Object = (*DNSRecord)(nil)

// DNSRecord is one name and what it resolves to.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=dnsrecords,singular=dnsrecord,shortName=dns
// +kubebuilder:metadata:labels="gardener.cloud/deletion-protected=true"
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.type`
// +kubebuilder:printcolumn:name="Domain Name",type=string,JSONPath=`.spec.name`
// +kubebuilder:printcolumn:name="Record Type",type=string,JSONPath=`.spec.recordType`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.lastOperation.state`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type DNSRecord struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the desired state.
	Spec DNSRecordSpec `json:"spec"`
	// Status is the observed state.
	// +optional
	Status DNSRecordStatus `json:"status,omitempty"`
}

// GetExtensionSpec implements Object.
func (d *DNSRecord) GetExtensionSpec() Spec { return &d.Spec }

// GetExtensionStatus implements Object.
func (d *DNSRecord) GetExtensionStatus() Status { return &d.Status }

// DNSRecordSpec is the desired state of a DNSRecord.
type DNSRecordSpec struct {
	DefaultSpec `json:",inline"`
	// SecretRef names the credentials.
	SecretRef corev1.SecretReference `json:"secretRef"`
	// Region overrides the provider's default.
	// +optional
	Region *string `json:"region,omitempty"`
	// Zone is the provider's zone; found by name when unset.
	// +optional
	Zone *string `json:"zone,omitempty"`
	// Name is the full domain name; immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="name is immutable"
	Name string `json:"name"`
	// RecordType is the type of the record; immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="recordType is immutable"
	RecordType DNSRecordType `json:"recordType"`
	// Values are addresses for A and AAAA, one name for CNAME, texts for TXT.
	// +listType=atomic
	Values []string `json:"values"`
	// TTL in seconds; 120 when unset.
	// +optional
	TTL *int64 `json:"ttl,omitempty"`
}

// DNSRecordType is the type of a record.
// +kubebuilder:validation:Enum=A;AAAA;CNAME;TXT
type DNSRecordType string

// Types of records.
const (
	DNSRecordTypeA     DNSRecordType = "A"
	DNSRecordTypeAAAA  DNSRecordType = "AAAA"
	DNSRecordTypeCNAME DNSRecordType = "CNAME"
	DNSRecordTypeTXT   DNSRecordType = "TXT"
)

// DNSRecordStatus is the observed state of a DNSRecord.
type DNSRecordStatus struct {
	DefaultStatus `json:",inline"`
	// Zone is the zone the record is in.
	// +optional
	Zone *string `json:"zone,omitempty"`
}

// DNSRecordList is a list of DNSRecords.
//
// +kubebuilder:object:root=true
type DNSRecordList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of DNSRecords.
	Items []DNSRecord `json:"items"`
}
