package config

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
)

// Validate lists all mistakes of a defaulted configuration.
func Validate(cfg *GardenletConfiguration) error {
	v := &mistakes{}
	v.Add(cfg.SeedConfig == nil, "seedConfig is required")
	v.Add(cfg.SeedConfig != nil && cfg.SeedConfig.Name == "", "seedConfig.metadata.name is required")
	cfg.Log.Validate(&v.Mistakes)
	v.connections(cfg)
	v.controllers(cfg.Controllers)
	v.resources(cfg.Resources)
	cfg.Server.Validate(&v.Mistakes)
	cfg.Server.HTTPS.Validate(&v.Mistakes, "server.https")
	v.gates(cfg)
	v.handlers(cfg.ExposureClassHandlers)
	v.backups(cfg.ETCDConfig)
	return v.Err()
}

type mistakes struct{ componentconfig.Mistakes }

func (v *mistakes) connections(cfg *GardenletConfiguration) {
	cfg.GardenClientConnection.Validate(&v.Mistakes, "gardenClientConnection")
	cfg.SeedClientConnection.Validate(&v.Mistakes, "seedClientConnection")
	cfg.ShootClientConnection.Validate(&v.Mistakes, "shootClientConnection")
	validity := cfg.GardenClientConnection.KubeconfigValidity
	if validity == nil {
		return
	}
	const path = "gardenClientConnection.kubeconfigValidity."
	v.Add(validity.Validity != nil && validity.Validity.Duration < 10*time.Minute, path+"validity must be at least 10m")
	from, to := *validity.AutoRotationJitterPercentageMin, *validity.AutoRotationJitterPercentageMax
	v.Add(from < 1 || from > 100, path+"autoRotationJitterPercentageMin must be between 1 and 100")
	v.Add(to < 1 || to > 100, path+"autoRotationJitterPercentageMax must be between 1 and 100")
	v.Add(from > to, path+"autoRotationJitterPercentageMin must not be more than autoRotationJitterPercentageMax")
}

func (v *mistakes) controllers(c Controllers) {
	for _, s := range []struct {
		name  string
		syncs *int
	}{
		{"backupBucket", c.BackupBucket.ConcurrentSyncs}, {"backupEntry", c.BackupEntry.ConcurrentSyncs}, {"bastion", c.Bastion.ConcurrentSyncs},
		{"controllerInstallation", c.ControllerInstallation.ConcurrentSyncs}, {"shoot", c.Shoot.ConcurrentSyncs}, {"shootCare", c.ShootCare.ConcurrentSyncs},
		{"networkPolicy", c.NetworkPolicy.ConcurrentSyncs}, {"tokenRequestor", c.TokenRequestor.ConcurrentSyncs},
		{"managedSeed", c.ManagedSeed.ConcurrentSyncs}, {"shootMigration", c.ShootMigration.ConcurrentSyncs},
	} {
		v.Syncs("controllers."+s.name, *s.syncs)
	}
	for _, p := range []struct {
		name   string
		period time.Duration
	}{
		{"seed.syncPeriod", c.Seed.SyncPeriod.Duration}, {"shoot.syncPeriod", c.Shoot.SyncPeriod.Duration},
		{"shoot.retryDuration", c.Shoot.RetryDuration.Duration}, {"shootCare.syncPeriod", c.ShootCare.SyncPeriod.Duration},
		{"managedSeed.syncPeriod", c.ManagedSeed.SyncPeriod.Duration}, {"managedSeed.waitSyncPeriod", c.ManagedSeed.WaitSyncPeriod.Duration},
	} {
		v.Add(p.period <= 0, "controllers.%s must be positive", p.name)
	}
	for i := range c.NetworkPolicy.AdditionalNamespaceSelectors {
		_, err := metav1.LabelSelectorAsSelector(&c.NetworkPolicy.AdditionalNamespaceSelectors[i])
		v.Add(err != nil, "controllers.networkPolicy.additionalNamespaceSelectors[%d]: %v", i, err)
	}
	v.Add(*c.Seed.LeaseResyncSeconds < 1, "controllers.seed.leaseResyncSeconds must be at least 1")
	v.Add(*c.Seed.LeaseResyncMissThreshold < 1, "controllers.seed.leaseResyncMissThreshold must be at least 1")
	v.Add(*c.BackupEntry.DeletionGracePeriodHours < 0, "controllers.backupEntry.deletionGracePeriodHours must not be negative")
	v.Add(c.Shoot.ProgressReportPeriod != nil && c.Shoot.ProgressReportPeriod.Duration < 0, "controllers.shoot.progressReportPeriod must not be negative")
	v.Add(*c.Shoot.DNSEntryTTLSeconds < 30 || *c.Shoot.DNSEntryTTLSeconds > 600, "controllers.shoot.dnsEntryTTLSeconds must be between 30 and 600")
}

func (v *mistakes) backups(c *ETCDConfig) {
	if c == nil {
		return
	}
	v.Add(c.DeltaSnapshotPeriod != nil && c.DeltaSnapshotPeriod.Duration < time.Second, "etcdConfig.deltaSnapshotPeriod must be at least 1s")
	v.Add(c.DeltaSnapshotRetentionPeriod != nil && c.DeltaSnapshotRetentionPeriod.Duration < 0, "etcdConfig.deltaSnapshotRetentionPeriod must not be negative")
	if compaction := c.BackupCompactionController; compaction != nil {
		v.Add(compaction.Workers != nil && *compaction.Workers < 1, "etcdConfig.backupCompactionController.workers must be at least 1")
		v.Add(compaction.ActiveDeadlineDuration != nil && compaction.ActiveDeadlineDuration.Duration < time.Second,
			"etcdConfig.backupCompactionController.activeDeadlineDuration must be at least 1s")
	}
}

func (v *mistakes) resources(r *Resources) {
	if r == nil {
		return
	}
	for name, reserved := range r.Reserved {
		capacity, found := r.Capacity[name]
		v.Add(!found, "resources.reserved.%s has no capacity", name)
		v.Add(found && reserved.Cmp(capacity) > 0, "resources.reserved.%s is more than the capacity", name)
	}
}
