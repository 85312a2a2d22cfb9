// Package config defines the configuration file of a resource manager, ResourceManagerConfiguration: its fields, its
// defaults and its validation. It starts nothing.
package config

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
)

// This package knows every key of the public kind. Keys that this resource manager does not act on carry the tag
// effect:"none".

// APIVersion and Kind of the file.
const (
	APIVersion = "resourcemanager.config.gardener.cloud/v1alpha1"
	Kind       = "ResourceManagerConfiguration"
)

// ResourceManagerConfiguration is the content of the file.
type ResourceManagerConfiguration struct {
	metav1.TypeMeta `json:",inline"`

	SourceClientConnection ClientConnection               `json:"sourceClientConnection,omitempty"`
	TargetClientConnection *ClientConnection              `json:"targetClientConnection,omitempty"` // the source when unset
	LeaderElection         componentconfig.LeaderElection `json:"leaderElection,omitempty"`
	Server                 Server                         `json:"server,omitempty"`
	Debugging              *componentconfig.Debugging     `json:"debugging,omitempty" effect:"none"`
	Log                    `json:",inline"`
	Controllers            Controllers `json:"controllers,omitempty"`
	Webhooks               Webhooks    `json:"webhooks,omitempty"`

	withoutEffect []string // set by Decode
}

// Log is the Log that components share, but the process decides the level.
type Log struct {
	LogLevel  string `json:"logLevel,omitempty" effect:"none"`
	LogFormat string `json:"logFormat,omitempty"` // json or text
}

// ClientConnection configures the client of a cluster.
type ClientConnection struct {
	Kubeconfig               string           `json:"kubeconfig,omitempty"` // path
	componentconfig.Requests `json:",inline"` // default 100 per second with a burst of 130
	Namespaces               []string         `json:"namespaces,omitempty"` // empty means all
	CacheResyncPeriod        *metav1.Duration `json:"cacheResyncPeriod,omitempty" effect:"none"`
	Namespace                string           `json:"namespace,omitempty"`                         // instead of Namespaces, until v1.79
	DisableCachedClient      bool             `json:"disableCachedClient,omitempty" effect:"none"` // until v1.79; targets are never cached
}

// Server says on which addresses the process listens. The default port of health probes is 8081. Metrics are off without a
// port.
type Server struct {
	Webhooks               WebhookServer `json:"webhooks,omitempty"`
	componentconfig.Server `json:",inline"`
}

// WebhookServer is the address on which API servers call the webhooks.
type WebhookServer struct {
	componentconfig.Listener `json:",inline"`
	TLS                      *struct {
		ServerCertDir string `json:"serverCertDir,omitempty"`
	} `json:"tls,omitempty"`
}

// Switch turns a feature on.
type Switch struct {
	Enabled bool `json:"enabled,omitempty"`
}

// Webhooks holds the settings of the webhooks.
type Webhooks struct {
	CRDDeletionProtection         Switch                 `json:"crdDeletionProtection,omitempty"`
	HighAvailabilityConfig        HighAvailabilityConfig `json:"highAvailabilityConfig,omitempty"`
	KubernetesServiceHost         KubernetesServiceHost  `json:"kubernetesServiceHost,omitempty"`
	SystemComponentsConfig        SystemComponentsConfig `json:"systemComponentsConfig,omitempty"`
	PodSchedulerName              PodSchedulerName       `json:"podSchedulerName,omitempty"`
	PodTopologySpreadConstraints  Switch                 `json:"podTopologySpreadConstraints,omitempty"`
	PodZoneAffinity               Switch                 `json:"podZoneAffinity,omitempty"`
	ProjectedTokenMount           ProjectedTokenMount    `json:"projectedTokenMount,omitempty"`
	SeccompProfile                Switch                 `json:"seccompProfile,omitempty"`
	TokenInvalidator              Switch                 `json:"tokenInvalidator,omitempty"`
	EndpointSliceHints            Switch                 `json:"endpointSliceHints,omitempty"`
	ExtensionValidation           Switch                 `json:"extensionValidation,omitempty"`
	PodKubeAPIServerLoadBalancing Switch                 `json:"podKubeAPIServerLoadBalancing,omitempty" effect:"none"`
	NodeAgentAuthorizer           NodeAgentAuthorizer    `json:"nodeAgentAuthorizer,omitempty" effect:"none"`
	VPAInPlaceUpdates             Switch                 `json:"vpaInPlaceUpdates,omitempty" effect:"none"`
}

// NodeAgentAuthorizer limits node agents to their own objects.
type NodeAgentAuthorizer struct {
	Switch                 `json:",inline"`
	MachineNamespace       string `json:"machineNamespace,omitempty"`
	AuthorizeWithSelectors *bool  `json:"authorizeWithSelectors,omitempty"`
}

// HighAvailabilityConfig spreads workloads.
type HighAvailabilityConfig struct {
	Switch                              `json:",inline"`
	DefaultNotReadyTolerationSeconds    *int64 `json:"defaultNotReadyTolerationSeconds,omitempty"`
	DefaultUnreachableTolerationSeconds *int64 `json:"defaultUnreachableTolerationSeconds,omitempty"`
}

// KubernetesServiceHost tells pods the host of the API server.
type KubernetesServiceHost struct {
	Switch `json:",inline"`
	Host   string `json:"host,omitempty"`
}

// SystemComponentsConfig says on which nodes system components run.
type SystemComponentsConfig struct {
	Switch          `json:",inline"`
	NodeSelector    map[string]string   `json:"nodeSelector,omitempty"`
	PodNodeSelector map[string]string   `json:"podNodeSelector,omitempty"`
	PodTolerations  []corev1.Toleration `json:"podTolerations,omitempty"`
}

// PodSchedulerName names the scheduler of pods.
type PodSchedulerName struct {
	Switch        `json:",inline"`
	SchedulerName string `json:"schedulerName,omitempty"`
}

// ProjectedTokenMount gives pods tokens that expire.
type ProjectedTokenMount struct {
	Switch            `json:",inline"`
	ExpirationSeconds int64 `json:"expirationSeconds,omitempty"` // default 43200
}
