package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Gateway opens ports of a load balancer.
//
// +kubebuilder:object:root=true
type Gateway struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the desired state.
	// +optional
	Spec GatewaySpec `json:"spec,omitempty"`
}

// GatewaySpec is the desired state of a Gateway.
type GatewaySpec struct {
	// Selector picks the pods of the load balancer.
	// +optional
	Selector map[string]string `json:"selector,omitempty"`
	// Servers are the ports.
	// +optional
	Servers []Server `json:"servers,omitempty"`
}

// Server is one port.
type Server struct {
	// Port is the port that the gateway listens on.
	Port Port `json:"port"`
	// Hosts are the names served, "*" for all.
	Hosts []string `json:"hosts"`
	// TLS says how TLS connections are handled.
	// +optional
	TLS *ServerTLSSettings `json:"tls,omitempty"`
}

// Port is the port that the gateway listens on.
type Port struct {
	// Number of the port.
	Number uint32 `json:"number"`
	// Protocol spoken, such as TLS or HTTPS.
	Protocol string `json:"protocol"`
	// Name of the port.
	Name string `json:"name"`
}

// TLSModePassthrough hands connections on without ending TLS.
const TLSModePassthrough = "PASSTHROUGH"

// ServerTLSSettings says how TLS connections are handled.
type ServerTLSSettings struct {
	// Mode of TLS.
	// +optional
	Mode string `json:"mode,omitempty"`
}

// GatewayList is a list of Gateways.
//
// +kubebuilder:object:root=true
type GatewayList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of Gateways.
	Items []Gateway `json:"items"`
}
