package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// RuntimeCluster is the cluster that runs the garden.
type RuntimeCluster struct {
	// Ingress is how the garden is reached by HTTP.
	Ingress Ingress `json:"ingress"`
	// Networking holds the networks of the cluster.
	Networking RuntimeNetworking `json:"networking"`
	// Provider is where the cluster runs.
	Provider Provider `json:"provider"`
	// Settings are further settings.
	Settings *Settings `json:"settings,omitempty"`
	// Volume bounds volumes.
	Volume *Volume `json:"volume,omitempty"`
}

// Ingress is how the garden is reached by HTTP.
type Ingress struct {
	// Domain is the only domain in Gardens of older releases; domains replaces it.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="domain is immutable"
	Domain *string `json:"domain,omitempty"`
	// Domains are the domains; the first one is used for the garden's own pages.
	// +kubebuilder:validation:MinItems=1
	// +listType=atomic
	Domains []DNSDomain `json:"domains,omitempty"`
	// Controller is the ingress controller.
	Controller IngressController `json:"controller"`
}

// IngressController is the ingress controller.
type IngressController struct {
	// Kind is the kind of the controller.
	// +kubebuilder:validation:Enum=nginx
	Kind string `json:"kind"`
	// ProviderConfig is configuration of the controller.
	// +kubebuilder:pruning:PreserveUnknownFields
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty"`
}

// RuntimeNetworking holds the networks of the runtime cluster.
type RuntimeNetworking struct {
	// IPFamilies are the families in use; IPv4 when unset.
	// +kubebuilder:validation:MaxItems=2
	// +kubebuilder:validation:items:Enum=IPv4;IPv6
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="ipFamilies are immutable"
	// +listType=atomic
	IPFamilies []gardencorev1beta1.IPFamily `json:"ipFamilies,omitempty"`
	// Nodes are the networks of nodes.
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="oldSelf.all(x, x in self)",message="nodes can only be added"
	// +listType=atomic
	Nodes []string `json:"nodes,omitempty"`
	// Pods are the networks of pods.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="oldSelf.all(x, x in self)",message="pods can only be added"
	// +listType=atomic
	Pods []string `json:"pods"`
	// Services are the networks of Services.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="oldSelf.all(x, x in self)",message="services can only be added"
	// +listType=atomic
	Services []string `json:"services"`
	// BlockCIDRs are networks that pods of the garden must not reach.
	// +listType=atomic
	BlockCIDRs []string `json:"blockCIDRs,omitempty"`
}

// Provider is where the runtime cluster runs.
type Provider struct {
	// Region is the region.
	Region *string `json:"region,omitempty"`
	// Zones are the zones; two at least spread components over them.
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="oldSelf.all(x, x in self)",message="zones can only be added"
	// +listType=atomic
	Zones []string `json:"zones,omitempty"`
}

// Settings are further settings of the runtime cluster.
type Settings struct {
	// LoadBalancerServices configures Services of type LoadBalancer.
	LoadBalancerServices *SettingLoadBalancerServices `json:"loadBalancerServices,omitempty"`
	// VerticalPodAutoscaler configures the vertical pod autoscaler.
	VerticalPodAutoscaler *SettingVerticalPodAutoscaler `json:"verticalPodAutoscaler,omitempty"`
	// TopologyAwareRouting keeps traffic inside a zone.
	TopologyAwareRouting *SettingTopologyAwareRouting `json:"topologyAwareRouting,omitempty"`
	// PersistentVolumeClaimAutoscaler grows volume claims when they fill up.
	PersistentVolumeClaimAutoscaler *SettingPersistentVolumeClaimAutoscaler `json:"persistentVolumeClaimAutoscaler,omitempty"`
}

// SettingLoadBalancerServices configures Services of type LoadBalancer.
type SettingLoadBalancerServices struct {
	// Annotations are put on the Services.
	Annotations map[string]string `json:"annotations,omitempty"`
	// ExternalTrafficPolicy is the traffic policy of the Services.
	ExternalTrafficPolicy *corev1.ServiceExternalTrafficPolicy `json:"externalTrafficPolicy,omitempty"`
	// ProxyProtocol says whether the PROXY protocol is accepted.
	ProxyProtocol *gardencorev1beta1.LoadBalancerServicesProxyProtocol `json:"proxyProtocol,omitempty"`
}

// SettingVerticalPodAutoscaler configures the vertical pod autoscaler.
type SettingVerticalPodAutoscaler struct {
	// Enabled says whether it is deployed; switch it off only where the cluster has one of its own.
	// +kubebuilder:default=true
	Enabled *bool `json:"enabled,omitempty"`
	// FeatureGates are feature gates of the autoscaler.
	FeatureGates map[string]bool `json:"featureGates,omitempty"`
	// MaxAllowed is the highest recommendation.
	MaxAllowed corev1.ResourceList `json:"maxAllowed,omitempty"`
}

// SettingTopologyAwareRouting keeps traffic inside a zone.
type SettingTopologyAwareRouting struct {
	// Enabled switches it on.
	Enabled bool `json:"enabled"`
}

// SettingPersistentVolumeClaimAutoscaler grows volume claims when they fill up.
type SettingPersistentVolumeClaimAutoscaler struct {
	// Enabled switches it on.
	Enabled bool `json:"enabled"`
}

// Volume bounds volumes.
type Volume struct {
	// MinimumSize is what sizes of volume claims are raised to.
	MinimumSize *resource.Quantity `json:"minimumSize,omitempty"`
}
