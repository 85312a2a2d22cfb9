package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// AdminKubeconfigRequest asks for a kubeconfig with all permissions in a shoot, for a limited time.
type AdminKubeconfigRequest struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec AdminKubeconfigRequestSpec `json:"spec" protobuf:"bytes,2,opt,name=spec"`

	// Status is the observed state.
	Status AdminKubeconfigRequestStatus `json:"status" protobuf:"bytes,3,opt,name=status"`
}

// AdminKubeconfigRequestSpec is the content of an AdminKubeconfigRequest.
type AdminKubeconfigRequestSpec struct {
	// ExpirationSeconds is how long the kubeconfig is to be valid; 3600 by default, at least 600.
	ExpirationSeconds *int64 `json:"expirationSeconds,omitempty" protobuf:"varint,1,opt,name=expirationSeconds"`
}

// AdminKubeconfigRequestStatus is the answer.
type AdminKubeconfigRequestStatus struct {
	// Kubeconfig is the kubeconfig.
	Kubeconfig []byte `json:"kubeconfig" protobuf:"bytes,1,opt,name=kubeconfig"`

	// ExpirationTimestamp is when the kubeconfig ends.
	ExpirationTimestamp metav1.Time `json:"expirationTimestamp" protobuf:"bytes,2,opt,name=expirationTimestamp"`

	// KubeConfig is Kubeconfig again, by the name that older clients read.
	KubeConfig []byte `json:"kubeConfig" protobuf:"bytes,3,opt,name=kubeConfig"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ViewerKubeconfigRequest asks for a kubeconfig with reading permissions in a shoot, for a limited time.
type ViewerKubeconfigRequest struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec ViewerKubeconfigRequestSpec `json:"spec" protobuf:"bytes,2,opt,name=spec"`

	// Status is the observed state.
	Status ViewerKubeconfigRequestStatus `json:"status" protobuf:"bytes,3,opt,name=status"`
}

// ViewerKubeconfigRequestSpec is the content of a ViewerKubeconfigRequest.
type ViewerKubeconfigRequestSpec struct {
	// ExpirationSeconds is how long the kubeconfig is to be valid; 3600 by default, at least 600.
	ExpirationSeconds *int64 `json:"expirationSeconds,omitempty" protobuf:"varint,1,opt,name=expirationSeconds"`
}

// ViewerKubeconfigRequestStatus is the answer.
type ViewerKubeconfigRequestStatus struct {
	// Kubeconfig is the kubeconfig.
	Kubeconfig []byte `json:"kubeconfig" protobuf:"bytes,1,opt,name=kubeconfig"`

	// ExpirationTimestamp is when the kubeconfig ends.
	ExpirationTimestamp metav1.Time `json:"expirationTimestamp" protobuf:"bytes,2,opt,name=expirationTimestamp"`
}
