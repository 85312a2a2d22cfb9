package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
)

// Addons are additional components in a cluster.
type Addons struct {
	// KubernetesDashboard is the dashboard of Kubernetes.
	KubernetesDashboard *KubernetesDashboard `json:"kubernetesDashboard,omitempty" protobuf:"bytes,1,opt,name=kubernetesDashboard"`

	// NginxIngress is the ingress controller nginx.
	NginxIngress *NginxIngress `json:"nginxIngress,omitempty" protobuf:"bytes,2,opt,name=nginxIngress"`

	// OldKubernetesDashboard is the spelling of kubernetesDashboard in old manifests; it is copied to that field.
	OldKubernetesDashboard *KubernetesDashboard `json:"kubernetes-dashboard,omitempty" protobuf:"bytes,3,opt,name=oldKubernetesDashboard"`

	// OldNginxIngress is the spelling of nginxIngress in old manifests; it is copied to that field.
	OldNginxIngress *NginxIngress `json:"nginx-ingress,omitempty" protobuf:"bytes,4,opt,name=oldNginxIngress"`
}

// Addon switches an addon on.
type Addon struct {
	// Enabled switches the addon on.
	Enabled bool `json:"enabled" protobuf:"varint,1,opt,name=enabled"`
}

// KubernetesDashboard is the dashboard of Kubernetes.
type KubernetesDashboard struct {
	// Addon switches the addon on.
	Addon `json:",inline" protobuf:"bytes,2,opt,name=addon"`

	// AuthenticationMode is how users log in; token by default.
	AuthenticationMode *string `json:"authenticationMode,omitempty" protobuf:"bytes,1,opt,name=authenticationMode"`
}

const (
	// KubernetesDashboardAuthModeToken lets users log in with a bearer token.
	KubernetesDashboardAuthModeToken = "token"
	// KubernetesDashboardAuthModeBasic lets users log in with a password; a mode of older releases.
	KubernetesDashboardAuthModeBasic = "basic"
)

// NginxIngress is the ingress controller nginx.
type NginxIngress struct {
	// Addon switches the addon on.
	Addon `json:",inline" protobuf:"bytes,1,opt,name=addon"`

	// LoadBalancerSourceRanges are the ranges that may reach the load balancer.
	// +listType=atomic
	LoadBalancerSourceRanges []string `json:"loadBalancerSourceRanges,omitempty" protobuf:"bytes,2,rep,name=loadBalancerSourceRanges"`

	// Config is configuration of the controller, as in its ConfigMap.
	Config map[string]string `json:"config,omitempty" protobuf:"bytes,3,rep,name=config"`

	// ExternalTrafficPolicy is the traffic policy of the load balancer; Cluster by default.
	ExternalTrafficPolicy *corev1.ServiceExternalTrafficPolicy `json:"externalTrafficPolicy,omitempty" protobuf:"bytes,4,opt,name=externalTrafficPolicy"`
}
