package gardenlet

import (
	"time"

	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/vpn"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot"
	shootcare "github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/care"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/lifecycle"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/takeover"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

func (p parts) shoots() error {
	settings, care, migration := p.cfg.Configuration.Controllers.Shoot, p.cfg.Configuration.Controllers.ShootCare, p.cfg.Configuration.Controllers.ShootMigration
	thresholds := map[gardencorev1beta1.ConditionType]time.Duration{}
	for _, threshold := range care.ConditionThresholds {
		thresholds[gardencorev1beta1.ConditionType(threshold.Type)] = threshold.Duration.Duration
	}
	cfg := shoot.Config{
		Seed: p.seed, Access: p.access(), Clock: p.clock, Resolver: p.cfg.Resolver,
		Gardenlet: flow.Gardenlet{
			Image: p.cfg.Image, Pods: p.cfg.Pods, Images: p.cfg.Images, BackupAccess: p.cfg.BackupAccess, DNSRecordTTL: *settings.DNSEntryTTLSeconds,
			Backups: backupSettings(p.cfg.Configuration.ETCDConfig), ScaleEtcds: p.cfg.Configuration.Gate(config.GateHVPA), Monitoring: p.cfg.Configuration.Monitors(),
		},
		Lifecycle: lifecycle.Settings{
			SeedName: p.name, Gardener: p.cfg.Identity,
			ConcurrentSyncs: *settings.ConcurrentSyncs, SyncPeriod: settings.SyncPeriod.Duration, RetryDuration: settings.RetryDuration.Duration,
			NoAuthorityRotation: !p.cfg.Configuration.Gate(config.GateShootCARotation) || !p.cfg.Configuration.Gate(config.GateCARotation),
			RespectIgnore:       *settings.RespectSyncPeriodOverwrite,
		},
		Care: shootcare.Settings{ConcurrentSyncs: *care.ConcurrentSyncs, SyncPeriod: care.SyncPeriod.Duration, Thresholds: thresholds, Monitoring: p.cfg.Configuration.Monitors()},
		Takeover: takeover.Settings{
			ConcurrentSyncs: *migration.ConcurrentSyncs, SyncPeriod: migration.SyncPeriod.Duration, GracePeriod: migration.GracePeriod.Duration, Stale: migration.LastOperationStaleDuration.Duration,
		},
	}
	if stale := care.StaleExtensionHealthChecks; stale.Enabled {
		cfg.Care.StaleExtensions = stale.Threshold.Duration
	}
	if period := settings.ProgressReportPeriod; period != nil {
		cfg.Lifecycle.ProgressPeriod = period.Duration
	}
	return shoot.AddToManager(p.garden, cfg)
}

// backupSettings are those of the configuration, which may have none.
func backupSettings(configured *config.ETCDConfig) etcd.BackupSettings {
	out := etcd.BackupSettings{}
	if configured == nil {
		return out
	}
	if period := configured.DeltaSnapshotPeriod; period != nil {
		out.DeltaPeriod = period.Duration
	}
	if retention := configured.DeltaSnapshotRetentionPeriod; retention != nil {
		out.DeltaRetention = retention.Duration
	}
	if compaction := configured.BackupCompactionController; compaction != nil && ptr.Deref(compaction.EnableBackupCompaction, false) {
		out.Compaction = &druidv1alpha1.SnapshotCompactionSpec{EventsThreshold: compaction.EventsThreshold}
	}
	return out
}

// access merges the caller's access with the configuration.
func (p parts) access() exposure.Access {
	access := p.cfg.Access
	access.TunnelGates, access.FrontDoorLabels = tunnelGates(p.cfg.Configuration), p.cfg.Configuration.SNI.Ingress.Labels
	if requests := p.cfg.Configuration.ShootClientConnection; requests != nil {
		access.QPS, access.Burst = requests.QPS, int(requests.Burst)
	}
	access.Gateways = map[string]exposure.Gateway{}
	for _, handler := range p.cfg.Configuration.ExposureClassHandlers {
		if p.cfg.Handlers {
			access.Gateways[handler.Name] = exposure.Gateway{
				Labels: handler.Selector(), Addresses: []string{handler.Address()}, Ports: p.cfg.HandlerPorts[handler.Name],
			}
		}
	}
	return access
}

func tunnelGates(c *config.GardenletConfiguration) vpn.Gates {
	return vpn.Gates{
		APIServerSNI: c.Gate(config.GateAPIServerSNI), ReversedVPN: c.Gate(config.GateReversedVPN), Konnectivity: c.Gate(config.GateKonnectivity),
	}
}
