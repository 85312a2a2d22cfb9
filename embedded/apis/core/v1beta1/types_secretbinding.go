package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// SecretBinding makes a Secret with infrastructure credentials usable by the shoots of a namespace. Prefer
// CredentialsBinding.
type SecretBinding struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// SecretRef refers to the Secret; it cannot be changed.
	SecretRef corev1.SecretReference `json:"secretRef" protobuf:"bytes,2,opt,name=secretRef"`

	// Quotas refer to Quotas that bound the use; they cannot be changed.
	// +listType=atomic
	Quotas []corev1.ObjectReference `json:"quotas,omitempty" protobuf:"bytes,3,rep,name=quotas"`

	// Provider is the provider of the credentials; fixed once set.
	Provider *SecretBindingProvider `json:"provider,omitempty" protobuf:"bytes,4,opt,name=provider"`
}

// SecretBindingProvider is the provider of credentials.
type SecretBindingProvider struct {
	// Type is the provider type, or several separated by commas.
	Type string `json:"type" protobuf:"bytes,1,opt,name=type"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// SecretBindingList is a list of SecretBinding objects.
type SecretBindingList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []SecretBinding `json:"items" protobuf:"bytes,2,rep,name=items"`
}
