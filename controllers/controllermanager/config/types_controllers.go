package config

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
)

// Controllers holds the settings of the controllers. Each handles 5 objects at a time by default.
type Controllers struct {
	Bastion                   *BastionController                    `json:"bastion,omitempty"`
	CertificateSigningRequest *componentconfig.ConcurrentController `json:"certificateSigningRequest,omitempty"`
	CloudProfile              *componentconfig.ConcurrentController `json:"cloudProfile,omitempty"`
	NamespacedCloudProfile    *componentconfig.ConcurrentController `json:"namespacedCloudProfile,omitempty"`
	ControllerDeployment      *componentconfig.ConcurrentController `json:"controllerDeployment,omitempty"`
	ControllerRegistration    *componentconfig.ConcurrentController `json:"controllerRegistration,omitempty"`
	// Event: without it, the controller is off and events expire in the API server.
	Event              *EventController                      `json:"event,omitempty"`
	ExposureClass      *componentconfig.ConcurrentController `json:"exposureClass,omitempty"`
	Plant              *PlantController                      `json:"plant,omitempty"`
	Project            *ProjectController                    `json:"project,omitempty"`
	Quota              *componentconfig.ConcurrentController `json:"quota,omitempty"`
	SecretBinding      *componentconfig.ConcurrentController `json:"secretBinding,omitempty"`
	CredentialsBinding *componentconfig.ConcurrentController `json:"credentialsBinding,omitempty"`
	Seed               *SeedController                       `json:"seed,omitempty"`
	ShootMaintenance   *ShootMaintenanceController           `json:"shootMaintenance,omitempty"`
	ShootQuota         *ShootQuotaController                 `json:"shootQuota,omitempty"`
	ShootHibernation   *ShootHibernationController           `json:"shootHibernation,omitempty"`
	ShootReference     *ShootReferenceController             `json:"shootReference,omitempty"`
	ShootRetry         *ShootRetryController                 `json:"shootRetry,omitempty"`

	// The checks of seeds run whenever something changes and update conditions at once.
	SeedExtensionsCheck           *CheckController                      `json:"seedExtensionsCheck,omitempty" effect:"none"`
	SeedBackupBucketsCheck        *CheckController                      `json:"seedBackupBucketsCheck,omitempty" effect:"none"`
	ControllerDeploymentReference *componentconfig.ConcurrentController `json:"controllerDeploymentReference,omitempty" effect:"none"`
	SecretBindingProvider         *componentconfig.ConcurrentController `json:"secretBindingProvider,omitempty" effect:"none"`
	SeedReference                 *componentconfig.ConcurrentController `json:"seedReference,omitempty" effect:"none"`
	ShootConditions               *componentconfig.ConcurrentController `json:"shootConditions,omitempty" effect:"none"`
	ShootStatusLabel              *componentconfig.ConcurrentController `json:"shootStatusLabel,omitempty" effect:"none"`
	ShootMigration                *componentconfig.ConcurrentController `json:"shootMigration,omitempty" effect:"none"`
	ManagedSeedSet                *ManagedSeedSetController             `json:"managedSeedSet,omitempty" effect:"none"`
	ShootState                    *componentconfig.ConcurrentController `json:"shootState,omitempty" effect:"none"`
	CacheSyncTimeout              *metav1.Duration                      `json:"cacheSyncTimeout,omitempty" effect:"none"`
}

// BastionController removes Bastions that are no longer needed.
type BastionController struct {
	componentconfig.ConcurrentController `json:",inline"`
	MaxLifetime                          *metav1.Duration `json:"maxLifetime,omitempty"` // default 24h
}

// EventController removes old events.
type EventController struct {
	componentconfig.ConcurrentController `json:",inline"`
	TTLNonShootEvents                    *metav1.Duration `json:"ttlNonShootEvents,omitempty"` // default 1h
}

// PlantController watches the clusters that Plants describe.
type PlantController struct {
	componentconfig.ConcurrentController `json:",inline"`
	SyncPeriod                           *metav1.Duration `json:"syncPeriod,omitempty"` // default 30s
}

// ProjectController looks after projects: their namespaces, their quotas, and the deletion of unused projects. A number
// of days may be 0.
type ProjectController struct {
	componentconfig.ConcurrentController `json:",inline"`
	MinimumLifetimeDays                  *int             `json:"minimumLifetimeDays,omitempty"`     // default 30
	Quotas                               []QuotaOfProject `json:"quotas,omitempty"`                  // the first matching quota is used
	StaleGracePeriodDays                 *int             `json:"staleGracePeriodDays,omitempty"`    // default 14
	StaleExpirationTimeDays              *int             `json:"staleExpirationTimeDays,omitempty"` // default 90
	StaleSyncPeriod                      *metav1.Duration `json:"staleSyncPeriod,omitempty"`         // default 12h
}

// QuotaOfProject is the ResourceQuota of the namespaces of some projects.
type QuotaOfProject struct {
	Config          *corev1.ResourceQuota `json:"config"`
	ProjectSelector *metav1.LabelSelector `json:"projectSelector,omitempty"` // default: all projects
}

// SeedController detects gardenlets that have stopped.
type SeedController struct {
	componentconfig.ConcurrentController `json:",inline"`
	MonitorPeriod                        *metav1.Duration `json:"monitorPeriod,omitempty"`      // default 40s
	ShootMonitorPeriod                   *metav1.Duration `json:"shootMonitorPeriod,omitempty"` // default 5 monitor periods
	SyncPeriod                           *metav1.Duration `json:"syncPeriod,omitempty"`         // default 10s
}

// CheckController updates conditions of seeds.
type CheckController struct {
	componentconfig.ConcurrentController `json:",inline"`
	SyncPeriod                           *metav1.Duration                     `json:"syncPeriod,omitempty"`
	ConditionThresholds                  []componentconfig.ConditionThreshold `json:"conditionThresholds,omitempty"`
}

// ShootMaintenanceController does the daily maintenance of shoots.
type ShootMaintenanceController struct {
	componentconfig.ConcurrentController `json:",inline"`
	EnableShootControlPlaneRestarter     *bool `json:"enableShootControlPlaneRestarter,omitempty"` // default true
	EnableShootCoreAddonRestarter        *bool `json:"enableShootCoreAddonRestarter,omitempty"`    // default false
}

// ShootQuotaController deletes shoots whose lifetime is limited by a Quota.
type ShootQuotaController struct {
	componentconfig.ConcurrentController `json:",inline"`
	SyncPeriod                           *metav1.Duration `json:"syncPeriod,omitempty"` // default 60m
}

// ShootHibernationController hibernates shoots and wakes them up by their schedules.
type ShootHibernationController struct {
	componentconfig.ConcurrentController `json:",inline"`
	// TriggerDeadlineDuration is how late a missed schedule is still executed, default 2h.
	TriggerDeadlineDuration *metav1.Duration `json:"triggerDeadlineDuration,omitempty"`
}

// ShootReferenceController protects the objects that shoots refer to.
type ShootReferenceController struct {
	componentconfig.ConcurrentController `json:",inline"`
	ProtectAuditPolicyConfigMaps         *bool `json:"protectAuditPolicyConfigMaps,omitempty" effect:"none"` // no effect: they are always protected
}

// ShootRetryController retries shoots that failed because the infrastructure throttled requests.
type ShootRetryController struct {
	componentconfig.ConcurrentController `json:",inline"`
	RetryPeriod                          *metav1.Duration `json:"retryPeriod,omitempty"`       // default 10m
	RetryJitterPeriod                    *metav1.Duration `json:"retryJitterPeriod,omitempty"` // default 5m
}

// ManagedSeedSetController is accepted, but does not exist here.
type ManagedSeedSetController struct {
	componentconfig.ConcurrentController `json:",inline"`
	MaxShootRetries                      *int             `json:"maxShootRetries,omitempty"`
	SyncPeriod                           *metav1.Duration `json:"syncPeriod,omitempty"`
}
