package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Garden is a garden: the runtime cluster and the virtual cluster in it that serves the Gardener API.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=gardens,singular=garden,scope=Cluster,shortName=grdn
// +kubebuilder:printcolumn:name="K8S Version",type=string,JSONPath=`.spec.virtualCluster.kubernetes.version`
// +kubebuilder:printcolumn:name="Gardener Version",type=string,JSONPath=`.status.gardener.version`
// +kubebuilder:printcolumn:name="Last Operation",type=string,JSONPath=`.status.lastOperation.state`
// +kubebuilder:printcolumn:name="Reconciled",type=string,JSONPath=`.status.conditions[?(@.type=="Reconciled")].status`
// +kubebuilder:printcolumn:name="Runtime",type=string,JSONPath=`.status.conditions[?(@.type=="RuntimeComponentsHealthy")].status`
// +kubebuilder:printcolumn:name="Virtual",type=string,JSONPath=`.status.conditions[?(@.type=="VirtualComponentsHealthy")].status`
// +kubebuilder:printcolumn:name="API Server",type=string,JSONPath=`.status.conditions[?(@.type=="VirtualGardenAPIServerAvailable")].status`
// +kubebuilder:printcolumn:name="Observability",type=string,JSONPath=`.status.conditions[?(@.type=="ObservabilityComponentsHealthy")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Garden struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the garden wanted.
	Spec GardenSpec `json:"spec,omitempty"`
	// Status is the garden as it is.
	Status GardenStatus `json:"status,omitempty"`
}

// GardenSpec is the garden wanted.
type GardenSpec struct {
	// DNS holds the providers of DNS records.
	DNS *DNSManagement `json:"dns,omitempty"`
	// Extensions are switched on for the garden.
	// +listType=map
	// +listMapKey=type
	Extensions []GardenExtension `json:"extensions,omitempty"`
	// RuntimeCluster is the cluster that runs everything.
	RuntimeCluster RuntimeCluster `json:"runtimeCluster"`
	// VirtualCluster is the cluster that serves the Gardener API.
	VirtualCluster VirtualCluster `json:"virtualCluster"`
	// Resources are named references to objects the garden uses.
	// +listType=map
	// +listMapKey=name
	Resources []gardencorev1beta1.NamedResourceReference `json:"resources,omitempty"`
}

// DNSManagement holds the providers of DNS records.
type DNSManagement struct {
	// Providers are the accounts that records may be written to.
	// +kubebuilder:validation:MinItems=1
	// +listType=map
	// +listMapKey=name
	Providers []DNSProvider `json:"providers"`
}

// DNSProvider is an account for DNS records.
type DNSProvider struct {
	// Name is what domains refer to.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// Type is the type of the provider, for example aws-route53.
	// +kubebuilder:validation:MinLength=1
	Type string `json:"type"`
	// ProviderConfig is the provider's own document.
	// +kubebuilder:pruning:PreserveUnknownFields
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty"`
	// SecretRef names the credentials.
	SecretRef corev1.LocalObjectReference `json:"secretRef"`
}

// DNSDomain is a domain and the account its records are written to.
type DNSDomain struct {
	// Name is the domain.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// Provider is the name of the account; the first one when unset.
	Provider *string `json:"provider,omitempty"`
}

// GardenExtension switches an extension on.
type GardenExtension struct {
	// Type is the type of the extension.
	// +kubebuilder:validation:MinLength=1
	Type string `json:"type"`
	// ProviderConfig is the extension's own document.
	// +kubebuilder:pruning:PreserveUnknownFields
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty"`
}

// GardenList is a list of Gardens.
//
// +kubebuilder:object:root=true
type GardenList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of Gardens.
	Items []Garden `json:"items"`
}
