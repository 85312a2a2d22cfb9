// Package config reads the configuration of the controllers that look after the garden: kind
// ControllerManagerConfiguration of controllermanager.config.gardener.cloud. It knows every key of the public kind.
// Keys that these controllers do not act on carry the tag effect:"none". WithoutEffect lists those that a file sets, so
// that users learn that they have no effect.
package config

import (
	"net"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	componentbaseconfigv1alpha1 "k8s.io/component-base/config/v1alpha1"
)

const (
	// APIVersion and Kind identify the configuration.
	APIVersion = "controllermanager.config.gardener.cloud/v1alpha1"
	Kind       = "ControllerManagerConfiguration"
)

// ControllerManagerConfiguration is the configuration of the controllers. After Load all pointers with a default are set.
type ControllerManagerConfiguration struct {
	metav1.TypeMeta `json:",inline"`

	GardenClientConnection ClientConnection `json:"gardenClientConnection,omitempty"`
	Controllers            Controllers      `json:"controllers,omitempty"`
	// LeaderElection has no effect: a garden has exactly one process that runs these controllers.
	LeaderElection *componentbaseconfigv1alpha1.LeaderElectionConfiguration `json:"leaderElection,omitempty" effect:"none"`
	LogLevel       string                                                   `json:"logLevel,omitempty"` // debug, info or error; default info
	// LogFormat is json or text; default json. It has no effect: the process decides.
	LogFormat          string                                              `json:"logFormat,omitempty" effect:"none" instead:"log.format of the landscape's configuration"`
	KubernetesLogLevel *int32                                              `json:"kubernetesLogLevel,omitempty" effect:"none" instead:"logLevel"`
	Server             Server                                              `json:"server,omitempty"`
	Debugging          *componentbaseconfigv1alpha1.DebuggingConfiguration `json:"debugging,omitempty" effect:"none"`
	FeatureGates       map[string]bool                                     `json:"featureGates,omitempty" effect:"none"`

	withoutEffect []string
}

// ClientConnection configures the client of the garden.
type ClientConnection struct {
	Kubeconfig         string  `json:"kubeconfig,omitempty" effect:"none"` // no effect: the process already has its access
	AcceptContentTypes string  `json:"acceptContentTypes,omitempty" effect:"none"`
	ContentType        string  `json:"contentType,omitempty" effect:"none"`
	QPS                float32 `json:"qps,omitempty"`   // requests per second; default: what the process allows
	Burst              int32   `json:"burst,omitempty"` // default: what the process allows
}

// Server says on which addresses the process listens. Addresses that are not configured are not served.
type Server struct {
	// HealthProbes serves /healthz and /readyz over HTTP. Default port: 2718.
	HealthProbes *Listener `json:"healthProbes,omitempty"`
	// Metrics serves /metrics over HTTP. Default port: 2719.
	Metrics *Listener `json:"metrics,omitempty"`
	// HTTP and HTTPS exist in older configurations. They configured webhooks that are now built into the API server.
	HTTP  *Listener      `json:"http,omitempty" effect:"none"`
	HTTPS *HTTPSListener `json:"https,omitempty" effect:"none"`
}

// Listener is an address to listen on.
type Listener struct {
	BindAddress string `json:"bindAddress,omitempty"` // empty: all addresses
	Port        int    `json:"port,omitempty"`
}

// Address is the address to listen on.
func (l Listener) Address() string { return net.JoinHostPort(l.BindAddress, strconv.Itoa(l.Port)) }

// HTTPSListener is a Listener with a certificate.
type HTTPSListener struct {
	Listener `json:",inline"`
	TLS      *TLSFiles `json:"tls,omitempty"`
}

// TLSFiles is a serving certificate.
type TLSFiles struct {
	ServerCertPath string `json:"serverCertPath"`
	ServerKeyPath  string `json:"serverKeyPath"`
}
