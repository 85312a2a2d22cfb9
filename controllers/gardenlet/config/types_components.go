package config

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Logging configures the logging stack of the seed.
type Logging struct {
	Enabled           *bool              `json:"enabled,omitempty"`
	Vali              *LogStorage        `json:"vali,omitempty"`
	VictoriaLogs      *LogStorage        `json:"victoriaLogs,omitempty"`
	FluentBit         *FluentBit         `json:"fluentBit,omitempty"`
	Loki              *LogStorage        `json:"loki,omitempty"`
	ShootNodeLogging  *ShootNodeLogging  `json:"shootNodeLogging,omitempty"`
	ShootEventLogging *ShootEventLogging `json:"shootEventLogging,omitempty"`
}

// LogStorage configures where logs are kept.
type LogStorage struct {
	Enabled *bool         `json:"enabled,omitempty"`
	Garden  *GardenVolume `json:"garden,omitempty"`
}

// GardenVolume is the volume in the garden namespace.
type GardenVolume struct {
	Priority *int               `json:"priority,omitempty"`
	Storage  *resource.Quantity `json:"storage,omitempty"`
}

// FluentBit holds parts of the configuration of the collector.
type FluentBit struct {
	Service       *string                 `json:"service,omitempty"`
	Input         *string                 `json:"input,omitempty"`
	Output        *string                 `json:"output,omitempty"`
	NetworkPolicy *FluentBitNetworkPolicy `json:"networkPolicy,omitempty"`
}

// FluentBitNetworkPolicy allows egress traffic of the collector.
type FluentBitNetworkPolicy struct {
	AdditionalEgressIPBlocks []string `json:"additionalEgressIPBlocks,omitempty"`
}

// ShootNodeLogging selects the shoots whose node logs are kept.
type ShootNodeLogging struct {
	ShootPurposes []gardencorev1beta1.ShootPurpose `json:"shootPurposes,omitempty"`
}

// ShootEventLogging switches the event log.
type ShootEventLogging struct {
	Enabled *bool `json:"enabled,omitempty"`
}

// SNI configures the ingress for API servers.
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

// ETCDConfig holds settings of druid and of backups. Druid runs in the process of the landscape, which decides about its controllers.
type ETCDConfig struct {
	ETCDController             *Workers                    `json:"etcdController,omitempty" effect:"none"`
	CustodianController        *Workers                    `json:"custodianController,omitempty" effect:"none"`
	BackupCompactionController *BackupCompactionController `json:"backupCompactionController,omitempty"`
	BackupLeaderElection       *BackupLeaderElection       `json:"backupLeaderElection,omitempty" effect:"none"`
	FeatureGates               map[string]bool             `json:"featureGates,omitempty" effect:"none"`
	// EtcdComponentProtection lets nobody but the druid change the objects that it makes of Etcds. The default is false, as with etcd-druid. Only this gardenlet
	// knows the key. The landscape passes it on to the druid of the seed.
	EtcdComponentProtection *bool `json:"etcdComponentProtection,omitempty"`
	// DeltaSnapshotPeriod is the time between two delta snapshots of the etcds of shoots; five minutes if it is not set. Only
	// this gardenlet knows the key.
	DeltaSnapshotPeriod *metav1.Duration `json:"deltaSnapshotPeriod,omitempty"`
	// DeltaSnapshotRetentionPeriod is how long delta snapshots are kept at least.
	DeltaSnapshotRetentionPeriod *metav1.Duration `json:"deltaSnapshotRetentionPeriod,omitempty"`
}

// Workers is how many objects a controller of druid handles at a time.
type Workers struct {
	Workers *int64 `json:"workers,omitempty"`
}

// BackupCompactionController holds the settings of druid's compaction. The gardenlet passes on to the Etcds what can be told there. The landscape passes on Workers and
// ActiveDeadlineDuration to the druid of the seed.
type BackupCompactionController struct {
	Workers                   *int64           `json:"workers,omitempty"` // default 3
	EnableBackupCompaction    *bool            `json:"enableBackupCompaction,omitempty"`
	EventsThreshold           *int64           `json:"eventsThreshold,omitempty"`
	ActiveDeadlineDuration    *metav1.Duration `json:"activeDeadlineDuration,omitempty"` // default 3h
	MetricsScrapeWaitDuration *metav1.Duration `json:"metricsScrapeWaitDuration,omitempty" effect:"none"`
}

// BackupLeaderElection holds the settings of the backup sidecars.
type BackupLeaderElection struct {
	ReelectionPeriod      *metav1.Duration `json:"reelectionPeriod,omitempty"`
	EtcdConnectionTimeout *metav1.Duration `json:"etcdConnectionTimeout,omitempty"`
}

// ExposureClassHandler is an ingress gateway for the shoots of some ExposureClasses.
type ExposureClassHandler struct {
	Name                string              `json:"name"` // handler of the ExposureClass
	LoadBalancerService LoadBalancerService `json:"loadBalancerService" effect:"none"`
	SNI                 *SNI                `json:"sni,omitempty"`
}

// LoadBalancerService is how a gateway is reached.
type LoadBalancerService struct {
	Annotations map[string]string `json:"annotations"`
	Class       *string           `json:"class,omitempty"`
}

// Monitoring configures the monitoring stack.
type Monitoring struct {
	Shoot *ShootMonitoring `json:"shoot,omitempty"`
}

// Monitors reports whether the seed and its shoots have a Prometheus.
func (c *GardenletConfiguration) Monitors() bool {
	return c.Monitoring != nil && c.Monitoring.Shoot != nil && ptr.Deref(c.Monitoring.Shoot.Enabled, false)
}

// ShootMonitoring configures monitoring of the seed and of its shoots.
type ShootMonitoring struct {
	// Enabled gives the seed and each of its shoots a Prometheus; default false, unlike in other gardenlets, since each takes memory.
	Enabled        *bool             `json:"enabled,omitempty"`
	RemoteWrite    *RemoteWrite      `json:"remoteWrite,omitempty" effect:"none"`
	ExternalLabels map[string]string `json:"externalLabels,omitempty" effect:"none"`
}

// RemoteWrite is where metrics are sent.
type RemoteWrite struct {
	URL         string   `json:"url"`
	Keep        []string `json:"keep,omitempty"`
	QueueConfig *string  `json:"queueConfig,omitempty"`
}

// NodeToleration holds defaults of tolerations in seed and shoots.
type NodeToleration struct {
	DefaultNotReadyTolerationSeconds    *int64 `json:"defaultNotReadyTolerationSeconds,omitempty"`
	DefaultUnreachableTolerationSeconds *int64 `json:"defaultUnreachableTolerationSeconds,omitempty"`
}
