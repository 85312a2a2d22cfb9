package config

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Controllers holds the settings of the controllers. Those of BackupBuckets, Bastions and ControllerInstallations handle
// 20 objects at a time by default.
type Controllers struct {
	CacheSyncTimeout       *metav1.Duration                      `json:"cacheSyncTimeout,omitempty" effect:"none"`
	BackupBucket           *componentconfig.ConcurrentController `json:"backupBucket,omitempty"`
	BackupEntry            *BackupEntryController                `json:"backupEntry,omitempty"`
	Bastion                *componentconfig.ConcurrentController `json:"bastion,omitempty"`
	ControllerInstallation *componentconfig.ConcurrentController `json:"controllerInstallation,omitempty"`
	Seed                   *SeedController                       `json:"seed,omitempty"`
	SeedCare               *SeedCareController                   `json:"seedCare,omitempty"`
	Shoot                  *ShootController                      `json:"shoot,omitempty"`
	ShootCare              *ShootCareController                  `json:"shootCare,omitempty"`
	ShootMigration         *MigrationController                  `json:"shootMigration,omitempty"`
	ManagedSeed            *ManagedSeedController                `json:"managedSeed,omitempty"`
	NetworkPolicy          *NetworkPolicyController              `json:"networkPolicy,omitempty"`
	TokenRequestor         *componentconfig.ConcurrentController `json:"tokenRequestor,omitempty"` // default 5

	ControllerInstallationCare     *PeriodicController                   `json:"controllerInstallationCare,omitempty" effect:"none"`
	ControllerInstallationRequired *componentconfig.ConcurrentController `json:"controllerInstallationRequired,omitempty" effect:"none"`
	Gardenlet                      *GardenletController                  `json:"gardenlet,omitempty" effect:"none"`
	ShootState                     *PeriodicController                   `json:"shootState,omitempty" effect:"none"`
	ShootStatus                    *componentconfig.ConcurrentController `json:"shootStatus,omitempty" effect:"none"`
	TokenRequestorWorkloadIdentity *WorkloadTokenController              `json:"tokenRequestorWorkloadIdentity,omitempty" effect:"none"`
	VPAEvictionRequirements        *componentconfig.ConcurrentController `json:"vpaEvictionRequirements,omitempty" effect:"none"`

	// Controllers that no longer exist, but that older configurations still contain.
	BackupEntryMigration       *MigrationController                  `json:"backupEntryMigration,omitempty" effect:"none"`
	SeedAPIServerNetworkPolicy *componentconfig.ConcurrentController `json:"seedAPIServerNetworkPolicy,omitempty" effect:"none"`
	ShootSecret                *componentconfig.ConcurrentController `json:"shootSecret,omitempty" effect:"none"`
	ShootStateSync             *PeriodicController                   `json:"shootStateSync,omitempty" effect:"none"`
}

// PeriodicController reconciles its objects periodically.
type PeriodicController struct {
	ConcurrentSyncs *int             `json:"concurrentSyncs,omitempty"`
	SyncPeriod      *metav1.Duration `json:"syncPeriod,omitempty"`
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
	ConcurrentSyncs          *int             `json:"concurrentSyncs,omitempty" effect:"none"` // no effect: there is one Seed
	SyncPeriod               *metav1.Duration `json:"syncPeriod,omitempty"`                    // default 1m
	LeaseResyncSeconds       *int32           `json:"leaseResyncSeconds,omitempty"`            // default 2
	LeaseResyncMissThreshold *int32           `json:"leaseResyncMissThreshold,omitempty"`      // default 10
}

// SeedCareController holds the settings of the health checks of the Seed.
type SeedCareController struct {
	SyncPeriod          *metav1.Duration                     `json:"syncPeriod,omitempty"` // default 30s
	ConditionThresholds []componentconfig.ConditionThreshold `json:"conditionThresholds,omitempty"`
}

// ShootController holds the settings of the controller for Shoots.
type ShootController struct {
	ConcurrentSyncs            *int             `json:"concurrentSyncs,omitempty"`                          // default 20
	ProgressReportPeriod       *metav1.Duration `json:"progressReportPeriod,omitempty"`                     // if it is not set, at once
	ReconcileInMaintenanceOnly *bool            `json:"reconcileInMaintenanceOnly,omitempty" effect:"none"` // default false
	RespectSyncPeriodOverwrite *bool            `json:"respectSyncPeriodOverwrite,omitempty"`               // default false
	RetryDuration              *metav1.Duration `json:"retryDuration,omitempty"`                            // default 12h
	SyncPeriod                 *metav1.Duration `json:"syncPeriod,omitempty"`                               // default 1h
	DNSEntryTTLSeconds         *int64           `json:"dnsEntryTTLSeconds,omitempty"`                       // default 120
}

// ShootCareController holds the settings of the health checks of Shoots.
type ShootCareController struct {
	ConcurrentSyncs                     *int                                 `json:"concurrentSyncs,omitempty"` // default 20
	SyncPeriod                          *metav1.Duration                     `json:"syncPeriod,omitempty"`      // default 1m
	StaleExtensionHealthChecks          *StaleExtensionHealthChecks          `json:"staleExtensionHealthChecks,omitempty"`
	ManagedResourceProgressingThreshold *metav1.Duration                     `json:"managedResourceProgressingThreshold,omitempty" effect:"none"`
	ConditionThresholds                 []componentconfig.ConditionThreshold `json:"conditionThresholds,omitempty"`
	WebhookRemediatorEnabled            *bool                                `json:"webhookRemediatorEnabled,omitempty" effect:"none"`
}

// StaleExtensionHealthChecks sets when reports of extensions are too old to be used.
type StaleExtensionHealthChecks struct {
	Enabled   bool             `json:"enabled"`             // default true if the whole section is left out
	Threshold *metav1.Duration `json:"threshold,omitempty"` // default 5m
}

// GardenletController holds the settings of the controller for Gardenlets.
type GardenletController struct {
	SyncPeriod *metav1.Duration `json:"syncPeriod,omitempty"`
}

// ManagedSeedController holds the settings of the controller for ManagedSeeds.
type ManagedSeedController struct {
	ConcurrentSyncs  *int             `json:"concurrentSyncs,omitempty"` // default 5
	SyncPeriod       *metav1.Duration `json:"syncPeriod,omitempty"`      // default 1h
	WaitSyncPeriod   *metav1.Duration `json:"waitSyncPeriod,omitempty"`  // default 15s
	SyncJitterPeriod *metav1.Duration `json:"syncJitterPeriod,omitempty" effect:"none"`
	JitterUpdates    *bool            `json:"jitterUpdates,omitempty" effect:"none"`
}

// NetworkPolicyController holds the settings of the controller for network policies.
type NetworkPolicyController struct {
	ConcurrentSyncs              *int                   `json:"concurrentSyncs,omitempty"`              // default 5
	AdditionalNamespaceSelectors []metav1.LabelSelector `json:"additionalNamespaceSelectors,omitempty"` // further namespaces whose traffic is denied
}

// WorkloadTokenController holds the settings of the controller for tokens of WorkloadIdentities.
type WorkloadTokenController struct {
	ConcurrentSyncs         *int             `json:"concurrentSyncs,omitempty"`
	TokenExpirationDuration *metav1.Duration `json:"tokenExpirationDuration,omitempty"`
}

// MigrationController holds the settings of the controller that takes Shoots which another seed does not release.
type MigrationController struct {
	ConcurrentSyncs *int             `json:"concurrentSyncs,omitempty"` // default 5
	SyncPeriod      *metav1.Duration `json:"syncPeriod,omitempty"`      // default 1m
	// GracePeriod is how long a migration may take before this seed takes the Shoot by itself; default 2h.
	GracePeriod *metav1.Duration `json:"gracePeriod,omitempty"`
	// LastOperationStaleDuration is how long the other seed must have reported nothing then; default 10m.
	LastOperationStaleDuration *metav1.Duration `json:"lastOperationStaleDuration,omitempty"`
}
