package v1beta1

import (
	"k8s.io/apimachinery/pkg/runtime"
)

// Networking is the network configuration of a cluster.
type Networking struct {
	// Type is the type of the network extension; it cannot be changed.
	Type *string `json:"type,omitempty" protobuf:"bytes,1,opt,name=type"`

	// ProviderConfig is configuration in the format of the network extension.
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty" protobuf:"bytes,2,opt,name=providerConfig"`

	// Pods is the range of the pods; fixed once set.
	Pods *string `json:"pods,omitempty" protobuf:"bytes,3,opt,name=pods"`

	// Nodes is the range of the nodes.
	Nodes *string `json:"nodes,omitempty" protobuf:"bytes,4,opt,name=nodes"`

	// Services is the range of the services; fixed once set.
	Services *string `json:"services,omitempty" protobuf:"bytes,5,opt,name=services"`

	// IPFamilies are the protocol versions of the cluster; IPv4 by default.
	// +listType=atomic
	IPFamilies []IPFamily `json:"ipFamilies,omitempty" protobuf:"bytes,6,rep,name=ipFamilies"`
}

const (
	// DefaultPodNetworkCIDR is the range of pods where neither Shoot nor Seed name one.
	DefaultPodNetworkCIDR = "100.96.0.0/11"
	// DefaultServiceNetworkCIDR is the range of services where neither Shoot nor Seed name one.
	DefaultServiceNetworkCIDR = "100.64.0.0/13"
)
