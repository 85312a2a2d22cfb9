package v1alpha1

import (
	gardencorev1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// Gardenlet is a gardenlet in a cluster that Gardener does not manage.
type Gardenlet struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec GardenletSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`

	// Status is the observed state.
	Status GardenletStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// GardenletList is a list of Gardenlet objects.
type GardenletList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []Gardenlet `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// GardenletSpec is the desired state of a Gardenlet.
type GardenletSpec struct {
	// Deployment configures how the gardenlet is deployed.
	Deployment GardenletSelfDeployment `json:"deployment" protobuf:"bytes,1,opt,name=deployment"`

	// Config is the GardenletConfiguration.
	Config *runtime.RawExtension `json:"config,omitempty" protobuf:"bytes,2,opt,name=config"`

	// KubeconfigSecretRef refers to a Secret with a kubeconfig for the first deployment, in the namespace garden.
	KubeconfigSecretRef *corev1.LocalObjectReference `json:"kubeconfigSecretRef,omitempty" protobuf:"bytes,3,opt,name=kubeconfigSecretRef"`
}

// GardenletSelfDeployment configures how a gardenlet deploys itself.
type GardenletSelfDeployment struct {
	// GardenletDeployment configures the Deployment.
	GardenletDeployment `json:",inline" protobuf:"bytes,1,opt,name=gardenletDeployment"`

	// Helm is the chart.
	Helm GardenletHelm `json:"helm" protobuf:"bytes,2,opt,name=helm"`

	// ImageVectorOverwrite replaces images, as YAML.
	ImageVectorOverwrite *string `json:"imageVectorOverwrite,omitempty" protobuf:"bytes,3,opt,name=imageVectorOverwrite"`

	// ComponentImageVectorOverwrite replaces images of components, as YAML.
	ComponentImageVectorOverwrite *string `json:"componentImageVectorOverwrite,omitempty" protobuf:"bytes,4,opt,name=componentImageVectorOverwrite"`
}

// GardenletHelm is the chart of a gardenlet.
type GardenletHelm struct {
	// OCIRepository is where the chart is.
	OCIRepository gardencorev1.OCIRepository `json:"ociRepository" protobuf:"bytes,1,opt,name=ociRepository"`
}

// GardenletStatus is the observed state of a Gardenlet.
type GardenletStatus struct {
	// Conditions tell whether the gardenlet is deployed.
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=type
	Conditions []gardencorev1beta1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep,name=conditions"`

	// ObservedGeneration is the generation that was last acted upon.
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,2,opt,name=observedGeneration"`
}

// GardenletReconciled says whether the gardenlet is deployed as wanted.
const GardenletReconciled gardencorev1beta1.ConditionType = "GardenletReconciled"
