package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// InternalSecret is a Secret that members of a project cannot read.
type InternalSecret struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Data is the secret data.
	Data map[string][]byte `json:"data,omitempty" protobuf:"bytes,2,rep,name=data"`

	// Type is the type as for Secrets; it cannot be changed.
	Type corev1.SecretType `json:"type,omitempty" protobuf:"bytes,3,opt,name=type"`

	// StringData is secret data as text; merged into data, never read back.
	StringData map[string]string `json:"stringData,omitempty" protobuf:"bytes,4,rep,name=stringData"`

	// Immutable freezes the data once true.
	Immutable *bool `json:"immutable,omitempty" protobuf:"varint,5,opt,name=immutable"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// InternalSecretList is a list of InternalSecret objects.
type InternalSecretList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []InternalSecret `json:"items" protobuf:"bytes,2,rep,name=items"`
}
