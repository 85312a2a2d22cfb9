package v1beta1

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
)

// DNS configures the domain of a cluster.
type DNS struct {
	// Domain is the external domain of the cluster; chosen by the server if unset, and fixed once set.
	Domain *string `json:"domain,omitempty" protobuf:"bytes,1,opt,name=domain"`

	// Providers are the providers that serve the domain.
	// +listType=atomic
	Providers []DNSProvider `json:"providers,omitempty" protobuf:"bytes,2,rep,name=providers"`
}

// DNSProvider is a DNS provider with its credentials.
type DNSProvider struct {
	// Domains filters domains; a form of older releases.
	Domains *DNSIncludeExclude `json:"domains,omitempty" protobuf:"bytes,1,opt,name=domains"`

	// Primary marks the provider of the domain of the API server.
	Primary *bool `json:"primary,omitempty" protobuf:"varint,2,opt,name=primary"`

	// SecretName is the Secret with the credentials, in the namespace of the Shoot; kept equal to credentialsRef.
	SecretName *string `json:"secretName,omitempty" protobuf:"bytes,3,opt,name=secretName"`

	// Type is the type of the provider; "unmanaged" means that no records are made.
	Type *string `json:"type,omitempty" protobuf:"bytes,4,opt,name=type"`

	// Zones filters zones; a form of older releases.
	Zones *DNSIncludeExclude `json:"zones,omitempty" protobuf:"bytes,5,opt,name=zones"`

	// CredentialsRef refers to the Secret or WorkloadIdentity with the credentials.
	CredentialsRef *autoscalingv1.CrossVersionObjectReference `json:"credentialsRef,omitempty" protobuf:"bytes,6,opt,name=credentialsRef"`
}

// DNSIncludeExclude is a filter of names.
type DNSIncludeExclude struct {
	// Include are the names that are used.
	// +listType=atomic
	Include []string `json:"include,omitempty" protobuf:"bytes,1,rep,name=include"`

	// Exclude are the names that are not used.
	// +listType=atomic
	Exclude []string `json:"exclude,omitempty" protobuf:"bytes,2,rep,name=exclude"`
}

const (
	// DefaultDomain is the domain of shoots whose DNS provider is DNSUnmanaged and that name no domain.
	DefaultDomain = "cluster.local"
	// DNSUnmanaged is the provider type for which no DNS records are made.
	DNSUnmanaged = "unmanaged"
)
