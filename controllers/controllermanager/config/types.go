// Package config reads the configuration of the controllers that look after the garden: kind
// ControllerManagerConfiguration of controllermanager.config.gardener.cloud. It knows every key of the public kind.
// Keys that these controllers do not act on carry the tag effect:"none". Keys that only act when the controllers are a process of
// their own carry effect:"process". WithoutEffect and OfProcess list those that a file sets, so that users learn that they have no
// effect.
package config

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
)

const (
	// APIVersion and Kind identify the configuration.
	APIVersion = "controllermanager.config.gardener.cloud/v1alpha1"
	Kind       = "ControllerManagerConfiguration"
)

// ControllerManagerConfiguration is the configuration of the controllers. After Load all pointers with a default are set.
type ControllerManagerConfiguration struct {
	metav1.TypeMeta `json:",inline"`

	GardenClientConnection ClientConnection                `json:"gardenClientConnection,omitempty"`
	Controllers            Controllers                     `json:"controllers,omitempty"`
	LeaderElection         *componentconfig.LeaderElection `json:"leaderElection,omitempty" effect:"process"`
	componentconfig.Log    `json:",inline"`
	KubernetesLogLevel     *int32                     `json:"kubernetesLogLevel,omitempty" effect:"none" instead:"logLevel"`
	Server                 Server                     `json:"server,omitempty"`
	Debugging              *componentconfig.Debugging `json:"debugging,omitempty" effect:"none"`
	FeatureGates           map[string]bool            `json:"featureGates,omitempty"` // see GateRotateSSHKeypair

	withoutEffect, ofProcess []string
}

// ClientConnection configures the client of the garden. It has no default limits: those of the process apply.
type ClientConnection struct {
	Kubeconfig               string `json:"kubeconfig,omitempty" effect:"process"` // path; empty: the pod's service account
	componentconfig.Requests `json:",inline"`
}

// Server says on which addresses the process listens. The default ports are 2718 for health probes, 2719 for metrics and 2720 for HTTPS.
type Server struct {
	componentconfig.Server `json:",inline"`
	// HTTPS serves /healthz and /readyz over TLS. The webhooks that it served once are built into the API server.
	HTTPS *componentconfig.HTTPSListener `json:"https,omitempty"`
	// HTTP exists in older configurations.
	HTTP *componentconfig.Listener `json:"http,omitempty" effect:"none"`
}
