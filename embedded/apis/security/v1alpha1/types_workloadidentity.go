package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// WorkloadIdentity is an identity that infrastructures trust instead of a stored secret.
type WorkloadIdentity struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec WorkloadIdentitySpec `json:"spec" protobuf:"bytes,2,opt,name=spec"`

	// Status is the observed state.
	Status WorkloadIdentityStatus `json:"status" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// WorkloadIdentityList is a list of WorkloadIdentity objects.
type WorkloadIdentityList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []WorkloadIdentity `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// WorkloadIdentitySpec is the desired state of a WorkloadIdentity.
type WorkloadIdentitySpec struct {
	// Audiences are the audiences of its tokens.
	// +listType=set
	Audiences []string `json:"audiences" protobuf:"bytes,1,rep,name=audiences"`

	// TargetSystem is the system that trusts the identity.
	TargetSystem TargetSystem `json:"targetSystem" protobuf:"bytes,2,opt,name=targetSystem"`
}

// TargetSystem is a system that trusts an identity.
type TargetSystem struct {
	// Type is the provider type; it cannot be changed.
	Type string `json:"type" protobuf:"bytes,1,opt,name=type"`

	// ProviderConfig is configuration in the format of the provider.
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty" protobuf:"bytes,2,opt,name=providerConfig"`
}

// WorkloadIdentityStatus is the observed state of a WorkloadIdentity.
type WorkloadIdentityStatus struct {
	// Sub is the subject of its tokens; it never changes.
	Sub string `json:"sub" protobuf:"bytes,1,opt,name=sub"`
}
