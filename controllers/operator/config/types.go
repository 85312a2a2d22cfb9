// Package config reads the configuration of the operator of Gardens: kind OperatorConfiguration of operator.config.gardener.cloud. It
// knows every key of the public kind. Keys that this operator does not act on carry the tag effect:"none". Keys that only act when the
// operator is a process of its own carry effect:"process".
package config

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
)

const (
	// APIVersion and Kind identify the configuration.
	APIVersion = "operator.config.gardener.cloud/v1alpha1"
	Kind       = "OperatorConfiguration"
)

// OperatorConfiguration is the configuration of the operator. After Decode all pointers with a default are set. In a landscape the operator
// is part of a process that has its own access to both clusters, its own servers and logs, and runs exactly one operator.
type OperatorConfiguration struct {
	metav1.TypeMeta `json:",inline"`

	RuntimeClientConnection *RuntimeConnection              `json:"runtimeClientConnection,omitempty" effect:"process"`
	VirtualClientConnection *ClientConnection               `json:"virtualClientConnection,omitempty" effect:"none"`
	LeaderElection          *componentconfig.LeaderElection `json:"leaderElection,omitempty" effect:"process"`
	LogLevel                string                          `json:"logLevel,omitempty" effect:"process" instead:"log.level of the landscape's configuration"`
	LogFormat               string                          `json:"logFormat,omitempty" effect:"process" instead:"log.format of the landscape's configuration"`
	Server                  *Server                         `json:"server,omitempty" effect:"process"`
	Debugging               *componentconfig.Debugging      `json:"debugging,omitempty" effect:"none"`
	FeatureGates            map[string]bool                 `json:"featureGates,omitempty" effect:"none"`
	Controllers             Controllers                     `json:"controllers,omitempty"`
	NodeToleration          *NodeToleration                 `json:"nodeToleration,omitempty" effect:"none"`

	withoutEffect, ofProcess []string
}

// RuntimeConnection configures the client of the runtime cluster. Default 100 requests per second, and 130 for a short time.
type RuntimeConnection struct {
	Kubeconfig               string `json:"kubeconfig,omitempty"` // path; empty: the pod's service account
	componentconfig.Requests `json:",inline"`
}

// ClientConnection configures the client of a cluster.
type ClientConnection struct {
	componentconfig.ClientConnection `json:",inline"`
}

// Server says on which addresses the operator listens. The default ports of health probes and metrics are 2751 and 2752.
type Server struct {
	// Webhooks answers the API server of the runtime cluster over TLS. Default port 2750.
	Webhooks               *componentconfig.Listener `json:"webhooks,omitempty"`
	componentconfig.Server `json:",inline"`
}

// NodeToleration says how long pods stay on a node that is not there.
type NodeToleration struct {
	DefaultNotReadyTolerationSeconds    *int64 `json:"defaultNotReadyTolerationSeconds,omitempty"`
	DefaultUnreachableTolerationSeconds *int64 `json:"defaultUnreachableTolerationSeconds,omitempty"`
}

// Controllers configures the controllers. Those of kinds that a landscape does not have do not exist here.
type Controllers struct {
	Garden                   *Garden                               `json:"garden,omitempty"`
	GardenCare               *Care                                 `json:"gardenCare,omitempty"`
	GardenletDeployer        *componentconfig.ConcurrentController `json:"gardenletDeployer,omitempty" effect:"none"`
	NetworkPolicy            *NetworkPolicy                        `json:"networkPolicy,omitempty" effect:"none" instead:"gardenlet.controllers.networkPolicy of the landscape's configuration"`
	VPAEvictionRequirements  *componentconfig.ConcurrentController `json:"vpaEvictionRequirements,omitempty" effect:"none"`
	Extension                *componentconfig.ConcurrentController `json:"extension,omitempty" effect:"none"`
	ExtensionCare            *ExtensionCare                        `json:"extensionCare,omitempty" effect:"none"`
	ExtensionReference       *componentconfig.ConcurrentController `json:"extensionReference,omitempty" effect:"none"`
	ExtensionRequiredRuntime *componentconfig.ConcurrentController `json:"extensionRequiredRuntime,omitempty" effect:"none"`
	ExtensionRequiredVirtual *componentconfig.ConcurrentController `json:"extensionRequiredVirtual,omitempty" effect:"none"`
}

// Garden configures the controller that reconciles the Garden.
type Garden struct {
	ConcurrentSyncs *int `json:"concurrentSyncs,omitempty" effect:"none"` // there is one Garden
	// SyncPeriod is the time between two reconciliations without a change. Default 1h.
	SyncPeriod *metav1.Duration `json:"syncPeriod,omitempty"`
	ETCDConfig json.RawMessage  `json:"etcdConfig,omitempty" effect:"none"`
}

// Care configures the controller that checks the health of the Garden.
type Care struct {
	// SyncPeriod is the time between two checks. Default 10s: components of the same process are asked at no cost.
	SyncPeriod *metav1.Duration `json:"syncPeriod,omitempty"`
	// ConditionThresholds say how long a condition may be Progressing before it turns False. Other conditions turn False at once.
	ConditionThresholds []componentconfig.ConditionThreshold `json:"conditionThresholds,omitempty"`
}

// ExtensionCare is accepted, but the controller does not exist here.
type ExtensionCare struct {
	ConcurrentSyncs     *int                                 `json:"concurrentSyncs,omitempty"`
	SyncPeriod          *metav1.Duration                     `json:"syncPeriod,omitempty"`
	ConditionThresholds []componentconfig.ConditionThreshold `json:"conditionThresholds,omitempty"`
}

// NetworkPolicy is accepted, but the gardenlet of the runtime cluster has the controller.
type NetworkPolicy struct {
	ConcurrentSyncs              *int                   `json:"concurrentSyncs,omitempty"`
	AdditionalNamespaceSelectors []metav1.LabelSelector `json:"additionalNamespaceSelectors,omitempty"`
}
