package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ControllerRegistration registers an extension controller with the kinds and types it serves.
type ControllerRegistration struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec ControllerRegistrationSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ControllerRegistrationList is a list of ControllerRegistration objects.
type ControllerRegistrationList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []ControllerRegistration `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// ControllerRegistrationSpec is the desired state of a ControllerRegistration.
type ControllerRegistrationSpec struct {
	// Resources are the kinds and types the controller serves.
	// +listType=map
	// +listMapKey=kind
	// +listMapKey=type
	Resources []ControllerResource `json:"resources,omitempty" protobuf:"bytes,1,rep,name=resources"`

	// Deployment says how the controller is installed.
	Deployment *ControllerRegistrationDeployment `json:"deployment,omitempty" protobuf:"bytes,2,opt,name=deployment"`
}

// ControllerResource is a kind of extension object of one type.
type ControllerResource struct {
	// Kind is the kind.
	Kind string `json:"kind" protobuf:"bytes,1,opt,name=kind"`

	// Type is the type.
	Type string `json:"type" protobuf:"bytes,2,opt,name=type"`

	// GloballyEnabled enables the extension for all shoots; kind Extension only. Prefer autoEnable.
	GloballyEnabled *bool `json:"globallyEnabled,omitempty" protobuf:"varint,3,opt,name=globallyEnabled"`

	// ReconcileTimeout is how long a reconciliation may take; kind Extension only. 3m by default.
	ReconcileTimeout *metav1.Duration `json:"reconcileTimeout,omitempty" protobuf:"bytes,4,opt,name=reconcileTimeout"`

	// Primary marks the controller that is responsible for status and finalizer; true by default, and fixed.
	Primary *bool `json:"primary,omitempty" protobuf:"varint,5,opt,name=primary"`

	// Lifecycle says when the extension acts in the flow of a shoot; kind Extension only.
	Lifecycle *ControllerResourceLifecycle `json:"lifecycle,omitempty" protobuf:"bytes,6,opt,name=lifecycle"`

	// WorkerlessSupported says whether the extension works for shoots without workers.
	WorkerlessSupported *bool `json:"workerlessSupported,omitempty" protobuf:"varint,7,opt,name=workerlessSupported"`

	// AutoEnable are the types of clusters the extension is enabled for automatically; kind Extension only.
	// +listType=atomic
	AutoEnable []ClusterType `json:"autoEnable,omitempty" protobuf:"bytes,8,rep,name=autoEnable"`

	// ClusterCompatibility are the types of clusters the extension works for; kind Extension only. Shoots by default.
	// +listType=atomic
	ClusterCompatibility []ClusterType `json:"clusterCompatibility,omitempty" protobuf:"bytes,9,rep,name=clusterCompatibility"`

	// ContinuousEndpointUpdate says whether the extension follows changes of endpoints by itself.
	ContinuousEndpointUpdate *bool `json:"continuousEndpointUpdate,omitempty" protobuf:"varint,10,opt,name=continuousEndpointUpdate"`
}

// ClusterType is a type of cluster an extension works for.
type ClusterType string

const (
	// ClusterTypeShoot is a shoot.
	ClusterTypeShoot ClusterType = "shoot"
	// ClusterTypeSeed is a seed.
	ClusterTypeSeed ClusterType = "seed"
)

// ControllerResourceLifecycle says when an extension acts in the flow of a shoot.
type ControllerResourceLifecycle struct {
	// Reconcile is when it is reconciled; after the API server by default.
	Reconcile *ControllerResourceLifecycleStrategy `json:"reconcile,omitempty" protobuf:"bytes,1,opt,name=reconcile"`

	// Delete is when it is deleted; before the API server by default.
	Delete *ControllerResourceLifecycleStrategy `json:"delete,omitempty" protobuf:"bytes,2,opt,name=delete"`

	// Migrate is when it is migrated; before the API server by default.
	Migrate *ControllerResourceLifecycleStrategy `json:"migrate,omitempty" protobuf:"bytes,3,opt,name=migrate"`
}

// ControllerResourceLifecycleStrategy is a point in the flow of a shoot.
type ControllerResourceLifecycleStrategy string

const (
	// BeforeKubeAPIServer is before the API server is handled.
	BeforeKubeAPIServer ControllerResourceLifecycleStrategy = "BeforeKubeAPIServer"
	// AfterKubeAPIServer is after the API server is handled.
	AfterKubeAPIServer ControllerResourceLifecycleStrategy = "AfterKubeAPIServer"
	// AfterWorker is after the workers are handled.
	AfterWorker ControllerResourceLifecycleStrategy = "AfterWorker"
)

// ControllerRegistrationDeployment says how a controller is installed.
type ControllerRegistrationDeployment struct {
	// Type is the type of a deployment in providerConfig, from which a ControllerDeployment is made. Prefer deploymentRefs.
	Type *string `json:"type,omitempty" protobuf:"bytes,1,opt,name=type"`

	// ProviderConfig is the content of a deployment that is described here, for type helm with chart and values.
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty" protobuf:"bytes,2,opt,name=providerConfig"`

	// Policy says on which seeds the controller is installed; on seeds that need it by default.
	Policy *ControllerDeploymentPolicy `json:"policy,omitempty" protobuf:"bytes,3,opt,name=policy"`

	// SeedSelector restricts the seeds; not for primary resources.
	SeedSelector *metav1.LabelSelector `json:"seedSelector,omitempty" protobuf:"bytes,4,opt,name=seedSelector"`

	// DeploymentRefs refer to the ControllerDeployment; one at most.
	// +listType=atomic
	DeploymentRefs []DeploymentRef `json:"deploymentRefs,omitempty" protobuf:"bytes,5,rep,name=deploymentRefs"`
}

// DeploymentRef refers to a ControllerDeployment.
type DeploymentRef struct {
	// Name is the name of the ControllerDeployment.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`
}

// ControllerDeploymentPolicy says where a controller is installed.
type ControllerDeploymentPolicy string

const (
	// ControllerDeploymentPolicyOnDemand installs it where something needs it.
	ControllerDeploymentPolicyOnDemand ControllerDeploymentPolicy = "OnDemand"
	// ControllerDeploymentPolicyAlways installs it in all seeds.
	ControllerDeploymentPolicyAlways ControllerDeploymentPolicy = "Always"
	// ControllerDeploymentPolicyAlwaysExceptNoShoots installs it in all seeds that have shoots.
	ControllerDeploymentPolicyAlwaysExceptNoShoots ControllerDeploymentPolicy = "AlwaysExceptNoShoots"
)
