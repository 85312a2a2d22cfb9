// Package config reads the configuration of a gardenlet: kind GardenletConfiguration of gardenlet.config.gardener.cloud.
// It holds the fields that this gardenlet acts upon; others are refused, so that nobody waits for an effect in vain.
package config

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	ShootClientConnection  ClientConnection       `json:"shootClientConnection,omitempty"`
	Controllers            Controllers            `json:"controllers,omitempty"`
	Resources              *Resources             `json:"resources,omitempty"`
	LogLevel               string                 `json:"logLevel,omitempty"`  // debug, info or error; default info
	LogFormat              string                 `json:"logFormat,omitempty"` // json or text; default json
	FeatureGates           map[string]bool        `json:"featureGates,omitempty"`
	// SeedConfig is the Seed this gardenlet registers and acts for; required.
	SeedConfig *SeedConfig `json:"seedConfig,omitempty"`
	SNI        *SNI        `json:"sni,omitempty"`
}

// ClientConnection says how to reach a cluster.
type ClientConnection struct {
	Kubeconfig         string  `json:"kubeconfig,omitempty"` // path; empty means what the process is given otherwise
	AcceptContentTypes string  `json:"acceptContentTypes,omitempty"`
	ContentType        string  `json:"contentType,omitempty"`
	QPS                float32 `json:"qps,omitempty"`   // default 50
	Burst              int32   `json:"burst,omitempty"` // default 100
}

// GardenClientConnection says how to reach the garden.
type GardenClientConnection struct {
	ClientConnection     `json:",inline"`
	GardenClusterAddress *string                 `json:"gardenClusterAddress,omitempty"`
	GardenClusterCACert  []byte                  `json:"gardenClusterCACert,omitempty"`
	BootstrapKubeconfig  *corev1.SecretReference `json:"bootstrapKubeconfig,omitempty"`
	KubeconfigSecret     *corev1.SecretReference `json:"kubeconfigSecret,omitempty"`
}

// Controllers holds the settings of the controllers.
type Controllers struct {
	BackupBucket           *ConcurrentController  `json:"backupBucket,omitempty"`
	BackupEntry            *BackupEntryController `json:"backupEntry,omitempty"`
	ControllerInstallation *ConcurrentController  `json:"controllerInstallation,omitempty"`
	Seed                   *SeedController        `json:"seed,omitempty"`
	SeedCare               *SeedCareController    `json:"seedCare,omitempty"`
	Shoot                  *ShootController       `json:"shoot,omitempty"`
	ShootCare              *ShootCareController   `json:"shootCare,omitempty"`
}

// ConcurrentController has nothing to set but how many objects it handles at a time.
type ConcurrentController struct {
	ConcurrentSyncs *int `json:"concurrentSyncs,omitempty"` // default 20
}

// BackupEntryController holds the settings of the controller for BackupEntries.
type BackupEntryController struct {
	ConcurrentSyncs *int `json:"concurrentSyncs,omitempty"` // default 20
	// DeletionGracePeriodHours is how long the backup of a deleted shoot is kept; default 0.
	DeletionGracePeriodHours *int `json:"deletionGracePeriodHours,omitempty"`
	// DeletionGracePeriodShootPurposes limits that to shoots of these purposes; empty means all.
	DeletionGracePeriodShootPurposes []gardencorev1beta1.ShootPurpose `json:"deletionGracePeriodShootPurposes,omitempty"`
}

// SeedController holds the settings of the controllers for the Seed.
type SeedController struct {
	SyncPeriod               *metav1.Duration `json:"syncPeriod,omitempty"`               // default 1m
	LeaseResyncSeconds       *int32           `json:"leaseResyncSeconds,omitempty"`       // default 2
	LeaseResyncMissThreshold *int32           `json:"leaseResyncMissThreshold,omitempty"` // default 10
}

// SeedCareController holds the settings of the health checks of the Seed.
type SeedCareController struct {
	SyncPeriod          *metav1.Duration     `json:"syncPeriod,omitempty"` // default 30s
	ConditionThresholds []ConditionThreshold `json:"conditionThresholds,omitempty"`
}

// ShootController holds the settings of the controller for Shoots.
type ShootController struct {
	ConcurrentSyncs            *int             `json:"concurrentSyncs,omitempty"`            // default 20
	ProgressReportPeriod       *metav1.Duration `json:"progressReportPeriod,omitempty"`       // unset: at once
	ReconcileInMaintenanceOnly *bool            `json:"reconcileInMaintenanceOnly,omitempty"` // default false
	RespectSyncPeriodOverwrite *bool            `json:"respectSyncPeriodOverwrite,omitempty"` // default false
	RetryDuration              *metav1.Duration `json:"retryDuration,omitempty"`              // default 12h
	SyncPeriod                 *metav1.Duration `json:"syncPeriod,omitempty"`                 // default 1h
	DNSEntryTTLSeconds         *int64           `json:"dnsEntryTTLSeconds,omitempty"`         // default 120
}

// ShootCareController holds the settings of the health checks of Shoots.
type ShootCareController struct {
	ConcurrentSyncs     *int                 `json:"concurrentSyncs,omitempty"` // default 20
	SyncPeriod          *metav1.Duration     `json:"syncPeriod,omitempty"`      // default 1m
	ConditionThresholds []ConditionThreshold `json:"conditionThresholds,omitempty"`
}

// ConditionThreshold is how long a condition may be Progressing before it turns False.
type ConditionThreshold struct {
	Type     string          `json:"type"`
	Duration metav1.Duration `json:"duration"`
}

// Resources says how much the seed can take.
type Resources struct {
	Capacity corev1.ResourceList `json:"capacity,omitempty"` // key shoots
	Reserved corev1.ResourceList `json:"reserved,omitempty"` // not more than the capacity, same keys
}

// SeedConfig is a Seed to be registered.
type SeedConfig struct {
	gardencorev1beta1.SeedTemplate `json:",inline"`
}

// SNI says where the ingress for API servers is.
type SNI struct {
	Ingress *SNIIngress `json:"ingress,omitempty"`
}

// SNIIngress is the ingress gateway.
type SNIIngress struct {
	ServiceName       *string           `json:"serviceName,omitempty"` // default istio-ingressgateway
	ServiceExternalIP *string           `json:"serviceExternalIP,omitempty"`
	Namespace         *string           `json:"namespace,omitempty"` // default istio-ingress
	Labels            map[string]string `json:"labels,omitempty"`    // default app=istio-ingressgateway, istio=ingressgateway
}
