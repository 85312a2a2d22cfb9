package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ClusterOpenIDConnectPreset is OpenID Connect configuration for new shoots of several projects.
type ClusterOpenIDConnectPreset struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec ClusterOpenIDConnectPresetSpec `json:"spec" protobuf:"bytes,2,opt,name=spec"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ClusterOpenIDConnectPresetList is a list of ClusterOpenIDConnectPreset objects.
type ClusterOpenIDConnectPresetList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []ClusterOpenIDConnectPreset `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// ClusterOpenIDConnectPresetSpec is the desired state of a ClusterOpenIDConnectPreset.
type ClusterOpenIDConnectPresetSpec struct {
	// OpenIDConnectPresetSpec is the configuration.
	OpenIDConnectPresetSpec `json:",inline" protobuf:"bytes,1,opt,name=openIDConnectPresetSpec"`

	// ProjectSelector selects the projects by their labels; all by default.
	ProjectSelector *metav1.LabelSelector `json:"projectSelector,omitempty" protobuf:"bytes,2,opt,name=projectSelector"`
}
