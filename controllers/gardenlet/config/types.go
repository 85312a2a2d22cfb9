// Package config reads the configuration of a gardenlet: kind GardenletConfiguration of
// gardenlet.config.gardener.cloud. It knows every key of the public kind. Keys that this gardenlet does not act on
// carry the tag effect:"none". GardenletConfiguration.WithoutEffect lists those that a file sets, so that users learn
// that they have no effect.
package config

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	// APIVersion and Kind identify the configuration.
	APIVersion = "gardenlet.config.gardener.cloud/v1alpha1"
	Kind       = "GardenletConfiguration"
)

// GardenletConfiguration is the configuration of a gardenlet. After Load all pointers with a default are set. Clients make
// 50 requests per second with a burst of 100 by default.
type GardenletConfiguration struct {
	metav1.TypeMeta `json:",inline"`

	GardenClientConnection GardenClientConnection `json:"gardenClientConnection,omitempty"`
	SeedClientConnection   ClientConnection       `json:"seedClientConnection,omitempty"`
	// ShootClientConnection limits each client of a shoot. Kubeconfigs of shoots are in the seed.
	ShootClientConnection *componentconfig.ClientConnection `json:"shootClientConnection,omitempty"`
	Controllers           Controllers                       `json:"controllers,omitempty"`
	Resources             *Resources                        `json:"resources,omitempty"`
	// LeaderElection has no effect: a seed has one gardenlet.
	LeaderElection      *componentconfig.LeaderElection `json:"leaderElection,omitempty" effect:"none"`
	componentconfig.Log `json:",inline"`
	KubernetesLogLevel  *int32                     `json:"kubernetesLogLevel,omitempty" effect:"none" instead:"logLevel"`
	Server              Server                     `json:"server,omitempty"`
	Debugging           *componentconfig.Debugging `json:"debugging,omitempty" effect:"none"`
	FeatureGates        map[string]bool            `json:"featureGates,omitempty"` // see Gate; others are accepted
	// SeedConfig is the Seed this gardenlet registers and acts for; required.
	SeedConfig            *SeedConfig            `json:"seedConfig,omitempty"`
	Logging               *Logging               `json:"logging,omitempty" effect:"none"`
	SNI                   *SNI                   `json:"sni,omitempty"` // see sniWithoutEffect
	ETCDConfig            *ETCDConfig            `json:"etcdConfig,omitempty"`
	ExposureClassHandlers []ExposureClassHandler `json:"exposureClassHandlers,omitempty"`
	Monitoring            *Monitoring            `json:"monitoring,omitempty"`
	NodeToleration        *NodeToleration        `json:"nodeToleration,omitempty" effect:"none"`

	withoutEffect, ofProcess []string
}

// ClientConnection configures the client of a cluster.
type ClientConnection struct {
	// Kubeconfig is a file. A gardenlet in a landscape's own process needs none for its seed.
	Kubeconfig               string `json:"kubeconfig,omitempty"`
	componentconfig.Requests `json:",inline"`
}

// GardenClientConnection configures the client of the garden.
type GardenClientConnection struct {
	// ClientConnection has a ready kubeconfig if the operator provides the credentials of the gardenlet. The gardenlet then
	// requests no certificate.
	ClientConnection `json:",inline"`
	// GardenClusterAddress is the URL of the garden for gardenlets in shoots; by default that of this gardenlet.
	GardenClusterAddress *string `json:"gardenClusterAddress,omitempty"`
	// GardenClusterCACert replaces the CA of the bootstrap kubeconfig, and of the stored one with each renewal.
	GardenClusterCACert []byte `json:"gardenClusterCACert,omitempty"`
	// BootstrapKubeconfig is the Secret of the seed whose key kubeconfig has a bootstrap token. It is deleted once the
	// gardenlet has its certificate.
	BootstrapKubeconfig *corev1.SecretReference `json:"bootstrapKubeconfig,omitempty"`
	// KubeconfigSecret is the Secret of the seed that keeps the kubeconfig with the client certificate. It has no effect if
	// kubeconfig is set.
	KubeconfigSecret   *corev1.SecretReference `json:"kubeconfigSecret,omitempty"`
	KubeconfigValidity *KubeconfigValidity     `json:"kubeconfigValidity,omitempty"`
}

// KubeconfigValidity configures the validity of client certificates and when they are renewed.
type KubeconfigValidity struct {
	Validity                        *metav1.Duration `json:"validity,omitempty"`                        // at least 10m
	AutoRotationJitterPercentageMin *int32           `json:"autoRotationJitterPercentageMin,omitempty"` // default 70
	AutoRotationJitterPercentageMax *int32           `json:"autoRotationJitterPercentageMax,omitempty"` // default 90
}

// Server says on which addresses the gardenlet listens. The default ports are 2728 for health probes and 2729 for metrics.
type Server struct {
	componentconfig.Server `json:",inline"`
	// HTTPS serves /healthz and /readyz over TLS. Default port: 2720.
	HTTPS *componentconfig.HTTPSListener `json:"https,omitempty"`
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
