// Package config defines the configuration of the node agent, kind NodeAgentConfiguration, a file on a machine. The
// gardenlet writes it, and the node agent reads it.
package config

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const (
	// APIVersion and Kind of the document.
	APIVersion = "nodeagent.config.gardener.cloud/v1alpha1"
	Kind       = "NodeAgentConfiguration"

	// Name is the name of the node agent, of its Secret with a token in kube-system, and of its service account there.
	Name = "gardener-node-agent"
	// Unit is its service on the machine, Binary its program.
	Unit, Binary = Name + ".service", "/opt/bin/" + Name
	// Dir is its directory on the machine.
	Dir = "/var/lib/" + Name
	// PathConfig is the location of the configuration.
	PathConfig = Dir + "/config.yaml"
	// PathBootstrapToken holds a token that may only read the Secret with the final token. The file is removed when
	// that token exists.
	PathBootstrapToken = Dir + "/credentials/bootstrap-token"
	// PathToken holds the token in use.
	PathToken = Dir + "/credentials/token"
	// PathLastApplied holds the last OperatingSystemConfig that was applied completely.
	PathLastApplied = Dir + "/last-applied-osc.yaml"
	// PathPending lists units that have yet to be restarted.
	PathPending = Dir + "/pending.json"
	// PathPendingBoot is the same for ApplyOnce.
	PathPendingBoot = Dir + "/pending-boot.json"
	// DataKey is the key of the OperatingSystemConfig in the Secret of a pool.
	DataKey = "osc.yaml"
	// AnnotationChecksum of a Node is the checksum of the last DataKey that was applied completely.
	AnnotationChecksum = "checksum/cloud-config-data"
)

// Configuration tells a node agent which objects to read.
type Configuration struct {
	metav1.TypeMeta `json:",inline"`
	// APIServer is the API server of the cluster of the node.
	APIServer APIServer `json:"apiServer"`
	// Controllers configure which Secrets the agent reads.
	Controllers Controllers `json:"controllers"`
}

// APIServer is the API server of the cluster of the node.
type APIServer struct {
	// Server is its URL.
	Server string `json:"server"`
	// CABundle are certificates in PEM.
	CABundle []byte `json:"caBundle"`
}

// Controllers configure which Secrets the agent reads.
type Controllers struct {
	OperatingSystemConfig OperatingSystemConfig `json:"operatingSystemConfig"`
	Token                 Token                 `json:"token"`
}

// OperatingSystemConfig names the Secret in kube-system that describes this machine.
type OperatingSystemConfig struct {
	SecretName string `json:"secretName"`
	// KubernetesVersion of the machine.
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`
	// SyncPeriod is how often the machine is compared if nothing has changed in the cluster; default 10m.
	SyncPeriod *metav1.Duration `json:"syncPeriod,omitempty"`
}

// Token lists the Secrets in kube-system whose tokens are written to files.
type Token struct {
	SyncConfigs []TokenSync `json:"syncConfigs,omitempty"`
	// SyncPeriod is how often the Secrets are read; default 1h.
	SyncPeriod *metav1.Duration `json:"syncPeriod,omitempty"`
}

// TokenSync is one Secret and its file.
type TokenSync struct {
	SecretName string `json:"secretName"`
	Path       string `json:"path"`
}

const (
	defaultSyncPeriod      = 10 * time.Minute
	defaultTokenSyncPeriod = time.Hour
)

// Encode writes the document.
func (c Configuration) Encode() ([]byte, error) {
	c.TypeMeta = metav1.TypeMeta{APIVersion: APIVersion, Kind: Kind}
	return yaml.Marshal(c)
}

// Decode reads a document and sets defaults.
func Decode(data []byte) (Configuration, error) {
	c := Configuration{}
	if err := yaml.Unmarshal(data, &c); err != nil { // fields of newer versions are ignored
		return c, fmt.Errorf("decode configuration of the node agent: %w", err)
	}
	if c.APIVersion != APIVersion || c.Kind != Kind {
		return c, fmt.Errorf("configuration of the node agent is %s %s, not %s %s", c.APIVersion, c.Kind, APIVersion, Kind)
	}
	if c.APIServer.Server == "" || c.Controllers.OperatingSystemConfig.SecretName == "" {
		return c, fmt.Errorf("configuration of the node agent names no API server or no secret")
	}
	if c.Controllers.OperatingSystemConfig.SyncPeriod == nil {
		c.Controllers.OperatingSystemConfig.SyncPeriod = &metav1.Duration{Duration: defaultSyncPeriod}
	}
	if c.Controllers.Token.SyncPeriod == nil {
		c.Controllers.Token.SyncPeriod = &metav1.Duration{Duration: defaultTokenSyncPeriod}
	}
	return c, nil
}
