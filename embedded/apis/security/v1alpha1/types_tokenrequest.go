package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// TokenRequest asks for a token of a WorkloadIdentity.
type TokenRequest struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec TokenRequestSpec `json:"spec" protobuf:"bytes,2,opt,name=spec"`

	// Status is the observed state.
	Status TokenRequestStatus `json:"status" protobuf:"bytes,3,opt,name=status"`
}

// TokenRequestSpec is the content of a TokenRequest.
type TokenRequestSpec struct {
	// ContextObject is the object the token is used for; only gardenlets may give it.
	ContextObject *ContextObject `json:"contextObject,omitempty" protobuf:"bytes,1,opt,name=contextObject"`

	// ExpirationSeconds is how long the token is to be valid; 3600 by default, at least 600.
	ExpirationSeconds *int64 `json:"expirationSeconds,omitempty" protobuf:"varint,2,opt,name=expirationSeconds"`
}

// ContextObject is the object a token is used for.
type ContextObject struct {
	// Kind is the kind of the object.
	Kind string `json:"kind" protobuf:"bytes,1,opt,name=kind"`

	// APIVersion is the group and version of the object.
	APIVersion string `json:"apiVersion" protobuf:"bytes,2,opt,name=apiVersion"`

	// Name is the name of the object.
	Name string `json:"name" protobuf:"bytes,3,opt,name=name"`

	// Namespace is the namespace of the object.
	Namespace *string `json:"namespace,omitempty" protobuf:"bytes,4,opt,name=namespace"`

	// UID is the identity of the object.
	UID types.UID `json:"uid" protobuf:"bytes,5,opt,name=uid"`
}

// TokenRequestStatus is the answer.
type TokenRequestStatus struct {
	// Token is the token.
	Token string `json:"token" protobuf:"bytes,1,opt,name=token"`

	// ExpirationTimestamp is when the token ends.
	ExpirationTimestamp metav1.Time `json:"expirationTimestamp" protobuf:"bytes,2,opt,name=expirationTimestamp"`
}
