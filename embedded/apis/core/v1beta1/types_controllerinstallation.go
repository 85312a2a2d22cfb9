package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ControllerInstallation is the wish to have an extension controller in a seed.
type ControllerInstallation struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec ControllerInstallationSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`

	// Status is the observed state.
	Status ControllerInstallationStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ControllerInstallationList is a list of ControllerInstallation objects.
type ControllerInstallationList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []ControllerInstallation `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// ControllerInstallationSpec is the desired state of a ControllerInstallation.
type ControllerInstallationSpec struct {
	// RegistrationRef refers to the ControllerRegistration; it cannot be changed.
	RegistrationRef corev1.ObjectReference `json:"registrationRef" protobuf:"bytes,1,opt,name=registrationRef"`

	// SeedRef refers to the Seed; it cannot be changed.
	SeedRef *corev1.ObjectReference `json:"seedRef,omitempty" protobuf:"bytes,2,opt,name=seedRef"`

	// DeploymentRef refers to the ControllerDeployment.
	DeploymentRef *corev1.ObjectReference `json:"deploymentRef,omitempty" protobuf:"bytes,3,opt,name=deploymentRef"`

	// ShootRef refers to the self-hosted Shoot, instead of a Seed.
	ShootRef *corev1.ObjectReference `json:"shootRef,omitempty" protobuf:"bytes,4,opt,name=shootRef"`

	// ResourceRefs refer to objects the controller needs.
	// +listType=atomic
	ResourceRefs []corev1.ObjectReference `json:"resourceRefs,omitempty" protobuf:"bytes,5,rep,name=resourceRefs"`
}

// ControllerInstallationStatus is the observed state of a ControllerInstallation.
type ControllerInstallationStatus struct {
	// Conditions tell whether the controller is installed and works.
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=type
	Conditions []Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep,name=conditions"`

	// ProviderStatus is written by the component that installs the controller.
	ProviderStatus *runtime.RawExtension `json:"providerStatus,omitempty" protobuf:"bytes,2,opt,name=providerStatus"`
}

const (
	// ControllerInstallationHealthy says whether the controller works.
	ControllerInstallationHealthy ConditionType = "Healthy"
	// ControllerInstallationInstalled says whether the controller's objects are in the cluster.
	ControllerInstallationInstalled ConditionType = "Installed"
	// ControllerInstallationProgressing says whether a change is being rolled out.
	ControllerInstallationProgressing ConditionType = "Progressing"
	// ControllerInstallationRequired says whether extension objects in the cluster need the controller.
	ControllerInstallationRequired ConditionType = "Required"
	// ControllerInstallationValid says whether the registration and the deployment are valid.
	ControllerInstallationValid ConditionType = "Valid"
)
