// Package config reads the configuration of a gardenlet: kind GardenletConfiguration of
// gardenlet.config.gardener.cloud. It knows every key of the public kind. Keys that this gardenlet does not act on
// carry the tag effect:"none". GardenletConfiguration.WithoutEffect lists those that a file sets, so that users learn
// that they have no effect.
package config

import (
	"net"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	componentbaseconfigv1alpha1 "k8s.io/component-base/config/v1alpha1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	// APIVersion and Kind identify the configuration.
	APIVersion = "gardenlet.config.gardener.cloud/v1alpha1"
	Kind       = "GardenletConfiguration"
)

// GardenletConfiguration is the configuration of a gardenlet. After Load all pointers with a default are set.
type GardenletConfiguration struct {
	metav1.TypeMeta `json:",inline"`

	GardenClientConnection GardenClientConnection `json:"gardenClientConnection,omitempty"`
	SeedClientConnection   ClientConnection       `json:"seedClientConnection,omitempty"`
	// ShootClientConnection has no effect: clients of shoots live for one step of the flow and have no rate limit.
	ShootClientConnection *ClientConnection `json:"shootClientConnection,omitempty" effect:"none"`
	Controllers           Controllers       `json:"controllers,omitempty"`
	Resources             *Resources        `json:"resources,omitempty"`
	// LeaderElection has no effect: a seed has one gardenlet.
	LeaderElection *componentbaseconfigv1alpha1.LeaderElectionConfiguration `json:"leaderElection,omitempty" effect:"none"`
	LogLevel       string                                                   `json:"logLevel,omitempty"` // debug, info or error; default info
	// LogFormat is json or text; default json. It has no effect: the process decides.
	LogFormat          string                                              `json:"logFormat,omitempty" effect:"none" instead:"log.format of the landscape's configuration"`
	KubernetesLogLevel *int32                                              `json:"kubernetesLogLevel,omitempty" effect:"none" instead:"logLevel"`
	Server             Server                                              `json:"server,omitempty"`
	Debugging          *componentbaseconfigv1alpha1.DebuggingConfiguration `json:"debugging,omitempty" effect:"none"`
	FeatureGates       map[string]bool                                     `json:"featureGates,omitempty"` // see Gate; others are accepted
	// SeedConfig is the Seed this gardenlet registers and acts for; required.
	SeedConfig            *SeedConfig            `json:"seedConfig,omitempty"`
	Logging               *Logging               `json:"logging,omitempty" effect:"none"`
	SNI                   *SNI                   `json:"sni,omitempty"` // see sniWithoutEffect
	ETCDConfig            *ETCDConfig            `json:"etcdConfig,omitempty" effect:"none"`
	ExposureClassHandlers []ExposureClassHandler `json:"exposureClassHandlers,omitempty"`
	Monitoring            *Monitoring            `json:"monitoring,omitempty" effect:"none"`
	NodeToleration        *NodeToleration        `json:"nodeToleration,omitempty" effect:"none"`

	withoutEffect []string
}

// ClientConnection configures the client of a cluster.
type ClientConnection struct {
	Kubeconfig         string  `json:"kubeconfig,omitempty" effect:"none"` // no effect: the process already has its access
	AcceptContentTypes string  `json:"acceptContentTypes,omitempty" effect:"none"`
	ContentType        string  `json:"contentType,omitempty" effect:"none"` // default application/json
	QPS                float32 `json:"qps,omitempty"`                       // default 50
	Burst              int32   `json:"burst,omitempty"`                     // default 100
}

// GardenClientConnection configures the client of the garden.
type GardenClientConnection struct {
	ClientConnection     `json:",inline"`
	GardenClusterAddress *string                 `json:"gardenClusterAddress,omitempty" effect:"none"`
	GardenClusterCACert  []byte                  `json:"gardenClusterCACert,omitempty" effect:"none"`
	BootstrapKubeconfig  *corev1.SecretReference `json:"bootstrapKubeconfig,omitempty" effect:"none"`
	KubeconfigSecret     *corev1.SecretReference `json:"kubeconfigSecret,omitempty" effect:"none"`
	KubeconfigValidity   *KubeconfigValidity     `json:"kubeconfigValidity,omitempty" effect:"none"`
}

// KubeconfigValidity configures the validity of client certificates and when they are renewed.
type KubeconfigValidity struct {
	Validity                        *metav1.Duration `json:"validity,omitempty"`                        // at least 10m
	AutoRotationJitterPercentageMin *int32           `json:"autoRotationJitterPercentageMin,omitempty"` // default 70
	AutoRotationJitterPercentageMax *int32           `json:"autoRotationJitterPercentageMax,omitempty"` // default 90
}

// Server says on which addresses the gardenlet listens. Addresses that are not configured are not served.
type Server struct {
	// HealthProbes serves /healthz and /readyz over HTTP. Default port: 2728.
	HealthProbes *Listener `json:"healthProbes,omitempty"`
	// Metrics serves /metrics over HTTP. Default port: 2729.
	Metrics *Listener `json:"metrics,omitempty"`
	// HTTPS serves /healthz and /readyz over TLS. Default port: 2720.
	HTTPS *HTTPSListener `json:"https,omitempty"`
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
	// TLS names the files of the certificate. Without them the gardenlet makes a certificate at its start.
	TLS *TLSFiles `json:"tls,omitempty"`
}

// TLSFiles is a serving certificate; both files are required.
type TLSFiles struct {
	ServerCertPath string `json:"serverCertPath"`
	ServerKeyPath  string `json:"serverKeyPath"`
}

// Resources limits what the seed can hold.
type Resources struct {
	Capacity corev1.ResourceList `json:"capacity,omitempty"` // key shoots
	Reserved corev1.ResourceList `json:"reserved,omitempty"` // not more than the capacity, same keys
}

// SeedConfig is the Seed to register.
type SeedConfig struct {
	gardencorev1beta1.SeedTemplate `json:",inline"`
}
