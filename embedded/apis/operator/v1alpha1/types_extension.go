package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	gardencorev1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Extension is an extension of Gardener: what it is responsible for and how its parts are deployed.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=extensions,singular=extension,scope=Cluster,shortName=extop
// +kubebuilder:printcolumn:name="Installed",type=string,JSONPath=`.status.conditions[?(@.type=="Installed")].status`
// +kubebuilder:printcolumn:name="Required Runtime",type=string,JSONPath=`.status.conditions[?(@.type=="RequiredRuntime")].status`
// +kubebuilder:printcolumn:name="Required Virtual",type=string,JSONPath=`.status.conditions[?(@.type=="RequiredVirtual")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Extension struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the desired state.
	Spec ExtensionSpec `json:"spec,omitempty"`
	// Status is the observed state.
	Status ExtensionStatus `json:"status,omitempty"`
}

// ExtensionSpec is the desired state of an Extension.
type ExtensionSpec struct {
	// Resources are the kinds and types it is responsible for.
	// +listType=map
	// +listMapKey=kind
	// +listMapKey=type
	Resources []gardencorev1beta1.ControllerResource `json:"resources,omitempty"`
	// Deployment says how it is deployed.
	Deployment *Deployment `json:"deployment,omitempty"`
}

// Deployment says how the parts of an extension are deployed.
type Deployment struct {
	// ExtensionDeployment is its controllers.
	ExtensionDeployment *ExtensionDeployment `json:"extension,omitempty"`
	// AdmissionDeployment is its admission webhooks.
	AdmissionDeployment *AdmissionDeployment `json:"admission,omitempty"`
	// Resources are named references to objects it needs.
	// +listType=map
	// +listMapKey=name
	Resources []gardencorev1.NamedResourceReference `json:"resources,omitempty"`
}

// ExtensionDeployment says how the controllers of an extension are deployed.
type ExtensionDeployment struct {
	// Helm is the chart.
	Helm *ExtensionHelm `json:"helm,omitempty"`
	// Values are the chart's values in seeds.
	Values *apiextensionsv1.JSON `json:"values,omitempty"`
	// RuntimeClusterValues are the chart's values in the runtime cluster.
	RuntimeClusterValues *apiextensionsv1.JSON `json:"runtimeClusterValues,omitempty"`
	// Policy says on which seeds it is installed; on seeds that need it when unset.
	// +kubebuilder:validation:Enum=OnDemand;Always;AlwaysExceptNoShoots
	Policy *gardencorev1beta1.ControllerDeploymentPolicy `json:"policy,omitempty"`
	// SeedSelector restricts the seeds.
	SeedSelector *metav1.LabelSelector `json:"seedSelector,omitempty"`
	// InjectGardenKubeconfig gives it access to the garden.
	InjectGardenKubeconfig *bool `json:"injectGardenKubeconfig,omitempty"`
}

// ExtensionHelm is a chart.
type ExtensionHelm struct {
	// OCIRepository is where the chart is.
	// +kubebuilder:validation:XValidation:rule="!has(self.ref) || !has(self.repository) && !has(self.tag) && !has(self.digest)",message="ref excludes repository, tag and digest"
	// +kubebuilder:validation:XValidation:rule="has(self.ref) || has(self.repository) && (has(self.tag) || has(self.digest))",message="ref, or repository with tag or digest, is required"
	OCIRepository *gardencorev1.OCIRepository `json:"ociRepository,omitempty"`
}

// AdmissionDeployment says how the admission webhooks of an extension are deployed.
type AdmissionDeployment struct {
	// RuntimeCluster is the part in the runtime cluster.
	RuntimeCluster *DeploymentSpec `json:"runtimeCluster,omitempty"`
	// VirtualCluster is the part in the virtual cluster.
	VirtualCluster *DeploymentSpec `json:"virtualCluster,omitempty"`
	// Values are the values of both charts.
	Values *apiextensionsv1.JSON `json:"values,omitempty"`
}

// DeploymentSpec is a part of a deployment.
type DeploymentSpec struct {
	// Helm is the chart.
	Helm *ExtensionHelm `json:"helm,omitempty"`
}

// ExtensionStatus is the observed state of an Extension.
type ExtensionStatus struct {
	// ObservedGeneration is the generation reconciled last.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions are the observations about the extension.
	// +listType=map
	// +listMapKey=type
	Conditions []gardencorev1beta1.Condition `json:"conditions,omitempty"`
	// ProviderStatus is the extension's own document.
	// +kubebuilder:pruning:PreserveUnknownFields
	ProviderStatus *runtime.RawExtension `json:"providerStatus,omitempty"`
}

// ExtensionList is a list of Extensions.
//
// +kubebuilder:object:root=true
type ExtensionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of Extensions.
	Items []Extension `json:"items"`
}
