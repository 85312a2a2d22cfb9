package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// VirtualService routes connections of a Gateway.
//
// +kubebuilder:object:root=true
type VirtualService struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec are the routes.
	// +optional
	Spec VirtualServiceSpec `json:"spec,omitempty"`
}

// VirtualServiceSpec are the routes.
type VirtualServiceSpec struct {
	// Hosts are the names routed.
	// +optional
	Hosts []string `json:"hosts,omitempty"`
	// Gateways are the names of the Gateways.
	// +optional
	Gateways []string `json:"gateways,omitempty"`
	// ExportTo lists the namespaces that see the routes, "*" for all.
	// +optional
	ExportTo []string `json:"exportTo,omitempty"`
	// TLS are the routes for TLS connections that are handed on unopened.
	// +optional
	TLS []TLSRoute `json:"tls,omitempty"`
}

// TLSRoute routes TLS connections.
type TLSRoute struct {
	// Match are the alternatives, one of which must hold.
	Match []TLSMatchAttributes `json:"match"`
	// Route are the targets.
	// +optional
	Route []RouteDestination `json:"route,omitempty"`
}

// TLSMatchAttributes tell connections apart.
type TLSMatchAttributes struct {
	// SniHosts are server names, which may begin with "*.".
	SniHosts []string `json:"sniHosts"`
	// Port of the Gateway.
	// +optional
	Port uint32 `json:"port,omitempty"`
}

// RouteDestination is a target with its share of the connections.
type RouteDestination struct {
	// Destination is the target.
	Destination Destination `json:"destination"`
	// Weight is the share in percent; all when it is the only one.
	// +optional
	Weight int32 `json:"weight,omitempty"`
}

// Destination is a port of a Service.
type Destination struct {
	// Host is the full name of the Service.
	Host string `json:"host"`
	// Port of the Service; unset when it has only one.
	// +optional
	Port *PortSelector `json:"port,omitempty"`
}

// PortSelector picks a port by number.
type PortSelector struct {
	// Number of the port.
	Number uint32 `json:"number"`
}

// VirtualServiceList is a list of VirtualServices.
//
// +kubebuilder:object:root=true
type VirtualServiceList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of VirtualServices.
	Items []VirtualService `json:"items"`
}
