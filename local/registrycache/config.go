package registrycache

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"k8s.io/apimachinery/pkg/api/resource"
)

const (
	// Type of the Extension, and its name in the namespace of a Shoot.
	Type = "registry-cache"
	// APIVersion of the documents.
	APIVersion = "registry.extensions.gardener.cloud/v1alpha3"
	// KindConfig is the kind of the Shoot's configuration, KindStatus the kind of the status.
	KindConfig, KindStatus = "RegistryConfig", "RegistryStatus"
)

// Config is the Shoot's configuration in the providerConfig of the extension.
type Config struct {
	metav1.TypeMeta `json:",inline"`
	// Caches, one for each registry.
	Caches []Cache `json:"caches"`
}

// Cache is the configuration for one registry.
type Cache struct {
	// Upstream is the host of the registry as in image names, such as docker.io or 10.0.0.1:5000.
	Upstream string `json:"upstream"`
	// RemoteURL is the URL of the registry; default: https:// and the host.
	RemoteURL *string `json:"remoteURL,omitempty"`
	// Volume of the cache.
	Volume *Volume `json:"volume,omitempty"`
	// GarbageCollection limits how long images are kept.
	GarbageCollection *GarbageCollection `json:"garbageCollection,omitempty"`
	// SecretReferenceName is the name of a resource of the Shoot: a Secret with username and password for the registry.
	SecretReferenceName *string `json:"secretReferenceName,omitempty"`
	// Proxy says how the cache reaches the registry.
	Proxy *Proxy `json:"proxy,omitempty"`
	// HTTP says how nodes reach the cache.
	HTTP *HTTP `json:"http,omitempty"`
	// HighAvailability runs two replicas of the cache.
	HighAvailability *HighAvailability `json:"highAvailability,omitempty"`
}

// Volume of a cache.
type Volume struct {
	// Size, default 10Gi. It cannot be changed.
	Size *resource.Quantity `json:"size,omitempty"`
	// StorageClassName, default: the default class of the cluster. It cannot be changed.
	StorageClassName *string `json:"storageClassName,omitempty"`
}

// GarbageCollection limits how long images are kept.
type GarbageCollection struct {
	// TTL after which a file is removed; 0 keeps files for ever. Default: 7 days.
	TTL metav1.Duration `json:"ttl"`
}

// Proxy says how the cache reaches the registry.
type Proxy struct {
	HTTPProxy  *string `json:"httpProxy,omitempty"`
	HTTPSProxy *string `json:"httpsProxy,omitempty"`
}

// HTTP says how nodes reach the cache.
type HTTP struct {
	// TLS is not supported: nodes and caches are in one cluster.
	TLS bool `json:"tls,omitempty"`
}

// HighAvailability runs two replicas of the cache.
type HighAvailability struct {
	Enabled bool `json:"enabled"`
}

// Status is the providerStatus of the Extension, and its state, which preserves addresses and volumes.
type Status struct {
	metav1.TypeMeta `json:",inline"`
	Caches          []CacheStatus `json:"caches"`
}

// CacheStatus is one cache.
type CacheStatus struct {
	Upstream string `json:"upstream"`
	// Endpoint is the URL by which nodes reach the cache.
	Endpoint string `json:"endpoint"`
	// RemoteURL of the registry.
	RemoteURL string `json:"remoteURL"`
	// VolumeSize and StorageClassName that the cache was made with.
	VolumeSize       string `json:"volumeSize,omitempty"`
	StorageClassName string `json:"storageClassName,omitempty"`
}
