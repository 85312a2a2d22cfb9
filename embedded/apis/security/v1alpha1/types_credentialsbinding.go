package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// CredentialsBinding makes infrastructure credentials usable by the shoots of a namespace.
type CredentialsBinding struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Provider is the provider of the credentials; it cannot be changed.
	Provider CredentialsBindingProvider `json:"provider" protobuf:"bytes,2,opt,name=provider"`

	// CredentialsRef refers to a Secret, an InternalSecret or a WorkloadIdentity; it cannot be changed.
	CredentialsRef corev1.ObjectReference `json:"credentialsRef" protobuf:"bytes,3,opt,name=credentialsRef"`

	// Quotas refer to Quotas that bound the use; they cannot be changed.
	// +listType=atomic
	Quotas []corev1.ObjectReference `json:"quotas,omitempty" protobuf:"bytes,4,rep,name=quotas"`
}

// CredentialsBindingProvider is the provider of credentials.
type CredentialsBindingProvider struct {
	// Type is the provider type.
	Type string `json:"type" protobuf:"bytes,1,opt,name=type"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// CredentialsBindingList is a list of CredentialsBinding objects.
type CredentialsBindingList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []CredentialsBinding `json:"items" protobuf:"bytes,2,rep,name=items"`
}
