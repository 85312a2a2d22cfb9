package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ControllerDeployment holds what is needed to install an extension controller.
type ControllerDeployment struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Type is helm, or custom for what others install.
	Type string `json:"type" protobuf:"bytes,2,opt,name=type"`

	// ProviderConfig is chart and values for the type helm, any document else.
	ProviderConfig runtime.RawExtension `json:"providerConfig" protobuf:"bytes,3,opt,name=providerConfig"`

	// InjectGardenKubeconfig gives the controller access to the garden.
	InjectGardenKubeconfig *bool `json:"injectGardenKubeconfig,omitempty" protobuf:"varint,4,opt,name=injectGardenKubeconfig"`
}

// ControllerDeploymentTypeHelm is the type of deployments made of a Helm chart.
const ControllerDeploymentTypeHelm = "helm"

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ControllerDeploymentList is a list of ControllerDeployment objects.
type ControllerDeploymentList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []ControllerDeployment `json:"items" protobuf:"bytes,2,rep,name=items"`
}
