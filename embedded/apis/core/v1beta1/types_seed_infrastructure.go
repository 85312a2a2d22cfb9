package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
)

// SeedDNS holds DNS settings of a seed.
type SeedDNS struct {
	// IngressDomain is the ingress domain in the form of older releases; see spec.ingress.domain.
	IngressDomain *string `json:"ingressDomain,omitempty" protobuf:"bytes,1,opt,name=ingressDomain"`

	// Provider is the DNS provider for the seed's ingress record; needed where the seed deploys an ingress
	// controller.
	Provider *SeedDNSProvider `json:"provider,omitempty" protobuf:"bytes,2,opt,name=provider"`

	// Internal is the domain of the internal addresses of shoots.
	Internal *SeedDNSProviderConfig `json:"internal,omitempty" protobuf:"bytes,3,opt,name=internal"`

	// Defaults are the domains from which shoots get a default address.
	// +listType=atomic
	Defaults []SeedDNSProviderConfig `json:"defaults,omitempty" protobuf:"bytes,4,rep,name=defaults"`
}

// SeedDNSProvider is a DNS provider with its credentials.
type SeedDNSProvider struct {
	// Type is the type of the provider.
	Type string `json:"type" protobuf:"bytes,1,opt,name=type"`

	// SecretRef refers to the Secret with the credentials; kept equal to credentialsRef.
	SecretRef corev1.SecretReference `json:"secretRef,omitempty" protobuf:"bytes,2,opt,name=secretRef"`

	// Domains filters domains; a form of older releases.
	Domains *DNSIncludeExclude `json:"domains,omitempty" protobuf:"bytes,3,opt,name=domains"`

	// Zones filters zones; a form of older releases.
	Zones *DNSIncludeExclude `json:"zones,omitempty" protobuf:"bytes,4,opt,name=zones"`

	// CredentialsRef refers to the credentials.
	CredentialsRef *corev1.ObjectReference `json:"credentialsRef,omitempty" protobuf:"bytes,5,opt,name=credentialsRef"`
}

// SeedDNSProviderConfig is a domain together with the provider that serves it.
type SeedDNSProviderConfig struct {
	// Type is the type of the provider.
	Type string `json:"type" protobuf:"bytes,1,opt,name=type"`

	// Domain is the domain.
	Domain string `json:"domain" protobuf:"bytes,2,opt,name=domain"`

	// Zone is the hosted zone of the domain.
	Zone *string `json:"zone,omitempty" protobuf:"bytes,3,opt,name=zone"`

	// CredentialsRef refers to the credentials of the provider.
	CredentialsRef corev1.ObjectReference `json:"credentialsRef" protobuf:"bytes,4,opt,name=credentialsRef"`
}

// SeedNetworks holds the address ranges of a seed.
type SeedNetworks struct {
	// Nodes is the range of the nodes; fixed once set.
	Nodes *string `json:"nodes,omitempty" protobuf:"bytes,1,opt,name=nodes"`

	// Pods is the range of the pods; it cannot be changed.
	Pods string `json:"pods" protobuf:"bytes,2,opt,name=pods"`

	// Services is the range of the services; it cannot be changed.
	Services string `json:"services" protobuf:"bytes,3,opt,name=services"`

	// ShootDefaults are ranges for shoots that name none.
	ShootDefaults *ShootNetworks `json:"shootDefaults,omitempty" protobuf:"bytes,4,opt,name=shootDefaults"`

	// BlockCIDRs are ranges that control plane pods may not reach, for example a metadata service.
	// +listType=atomic
	BlockCIDRs []string `json:"blockCIDRs,omitempty" protobuf:"bytes,5,rep,name=blockCIDRs"`

	// IPFamilies are the protocol versions of the seed; IPv4 by default, and fixed.
	// +listType=atomic
	IPFamilies []IPFamily `json:"ipFamilies,omitempty" protobuf:"bytes,6,rep,name=ipFamilies"`
}

// ShootNetworks are address ranges for shoots that name none.
type ShootNetworks struct {
	// Pods is the range of the pods.
	Pods *string `json:"pods,omitempty" protobuf:"bytes,1,opt,name=pods"`

	// Services is the range of the services.
	Services *string `json:"services,omitempty" protobuf:"bytes,2,opt,name=services"`
}

// SeedProvider is the infrastructure of a seed.
type SeedProvider struct {
	// Type is the provider type.
	Type string `json:"type" protobuf:"bytes,1,opt,name=type"`

	// ProviderConfig is provider-specific configuration of the seed.
	// +kubebuilder:pruning:PreserveUnknownFields
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty" protobuf:"bytes,2,opt,name=providerConfig"`

	// Region is the region of the seed.
	Region string `json:"region" protobuf:"bytes,3,opt,name=region"`

	// Zones are the zones of the seed's nodes.
	// +listType=atomic
	Zones []string `json:"zones,omitempty" protobuf:"bytes,4,rep,name=zones"`
}

// SeedVolume holds settings of persistent volumes in a seed.
type SeedVolume struct {
	// MinimumSize is the size to which smaller volume claims are raised.
	MinimumSize *resource.Quantity `json:"minimumSize,omitempty" protobuf:"bytes,1,opt,name=minimumSize"`

	// Providers name the volume provisioner for each purpose.
	// +listType=map
	// +listMapKey=purpose
	Providers []SeedVolumeProvider `json:"providers,omitempty" protobuf:"bytes,2,rep,name=providers"`
}

// SeedVolumeProvider names the volume provisioner for a purpose.
type SeedVolumeProvider struct {
	// Purpose is the purpose, for example etcd-main.
	Purpose string `json:"purpose" protobuf:"bytes,1,opt,name=purpose"`

	// Name is the name of the provisioner.
	Name string `json:"name" protobuf:"bytes,2,opt,name=name"`
}

// Ingress configures the ingress of a seed.
type Ingress struct {
	// Domain is the domain under which ingress names are made; it cannot be changed.
	Domain string `json:"domain" protobuf:"bytes,1,opt,name=domain"`

	// Controller is the ingress controller.
	Controller IngressController `json:"controller" protobuf:"bytes,2,opt,name=controller"`
}

// IngressController is an ingress controller.
type IngressController struct {
	// Kind is the kind of the controller; nginx is known.
	Kind string `json:"kind" protobuf:"bytes,1,opt,name=kind"`

	// ProviderConfig is configuration of the controller.
	// +kubebuilder:pruning:PreserveUnknownFields
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty" protobuf:"bytes,2,opt,name=providerConfig"`
}

// IngressControllerNginx is the ingress controller kind nginx.
const IngressControllerNginx = "nginx"
