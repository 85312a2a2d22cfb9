package v1

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ControllerDeployment holds what is needed to install an extension controller.
type ControllerDeployment struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Helm is a Helm chart with its values.
	Helm *HelmControllerDeployment `json:"helm,omitempty" protobuf:"bytes,2,opt,name=helm"`

	// InjectGardenKubeconfig gives the controller access to the garden.
	InjectGardenKubeconfig *bool `json:"injectGardenKubeconfig,omitempty" protobuf:"varint,3,opt,name=injectGardenKubeconfig"`

	// Resources are named references to objects the controller needs.
	// +listType=map
	// +listMapKey=name
	Resources []NamedResourceReference `json:"resources,omitempty" protobuf:"bytes,4,rep,name=resources"`
}

// HelmControllerDeployment is a Helm chart with its values.
type HelmControllerDeployment struct {
	// RawChart is the chart itself as compressed tar archive; excludes ociRepository.
	RawChart []byte `json:"rawChart,omitempty" protobuf:"bytes,1,opt,name=rawChart"`

	// Values are the values.
	Values *apiextensionsv1.JSON `json:"values,omitempty" protobuf:"bytes,2,opt,name=values"`

	// OCIRepository is where the chart is; excludes rawChart.
	OCIRepository *OCIRepository `json:"ociRepository,omitempty" protobuf:"bytes,3,opt,name=ociRepository"`
}

// OCIRepository is an artifact in a registry.
type OCIRepository struct {
	// Ref is the full reference; excludes repository, tag and digest.
	Ref *string `json:"ref,omitempty" protobuf:"bytes,1,opt,name=ref"`

	// Repository is the repository.
	Repository *string `json:"repository,omitempty" protobuf:"bytes,2,opt,name=repository"`

	// Tag is the tag of the artifact.
	Tag *string `json:"tag,omitempty" protobuf:"bytes,3,opt,name=tag"`

	// Digest is the digest of the artifact; it wins over the tag.
	Digest *string `json:"digest,omitempty" protobuf:"bytes,4,opt,name=digest"`

	// PullSecretRef refers to a pull Secret in the namespace garden.
	PullSecretRef *corev1.LocalObjectReference `json:"pullSecretRef,omitempty" protobuf:"bytes,5,opt,name=pullSecretRef"`

	// CABundleSecretRef refers to a Secret with the key bundle.crt in the namespace garden.
	CABundleSecretRef *corev1.LocalObjectReference `json:"caBundleSecretRef,omitempty" protobuf:"bytes,6,opt,name=caBundleSecretRef"`
}

// NamedResourceReference gives a name to a reference.
type NamedResourceReference struct {
	// Name is the name of the reference.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// ResourceRef is kind, name and version of an object.
	ResourceRef autoscalingv1.CrossVersionObjectReference `json:"resourceRef" protobuf:"bytes,2,opt,name=resourceRef"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ControllerDeploymentList is a list of ControllerDeployment objects.
type ControllerDeploymentList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []ControllerDeployment `json:"items" protobuf:"bytes,2,rep,name=items"`
}
