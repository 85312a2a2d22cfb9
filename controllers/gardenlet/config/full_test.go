package config_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
)

func TestEveryKey(t *testing.T) {
	cfg, err := config.Load("testdata/full.yaml")
	t.Run("GLT-10 every public key is accepted", func(t *testing.T) {
		if err != nil {
			t.Fatal(err)
		}
	})
	t.Run("GLT-10 keys that are acted upon are read", func(t *testing.T) {
		c := cfg.Controllers
		got := []any{
			cfg.GardenClientConnection.QPS, cfg.SeedClientConnection.Burst, cfg.LogLevel,
			*c.BackupBucket.ConcurrentSyncs, *c.BackupEntry.ConcurrentSyncs, *c.Bastion.ConcurrentSyncs, *c.ControllerInstallation.ConcurrentSyncs,
			*c.Shoot.ConcurrentSyncs, *c.ShootCare.ConcurrentSyncs, c.Shoot.RetryDuration.Duration, c.ShootCare.StaleExtensionHealthChecks.Threshold.Duration,
			*c.ShootMigration.ConcurrentSyncs, c.ShootMigration.SyncPeriod.Duration, c.ShootMigration.GracePeriod.Duration, c.ShootMigration.LastOperationStaleDuration.Duration,
			cfg.Server.HealthProbes.Port, cfg.Server.Metrics.Port, cfg.Server.HTTPS.Port, cfg.Server.HTTPS.TLS.ServerKeyPath,
		}
		want := []any{
			float32(100), int32(131), "debug", 11, 12, 13, 14, 15, 16, 24 * time.Hour, 10 * time.Minute,
			6, 2 * time.Minute, 3 * time.Hour, 11 * time.Minute, 12728, 12729, 12720, "tls.key",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
	})
	t.Run("GLT-10 keys without effect are named, all others act", func(t *testing.T) {
		want := []string{
			"gardenClientConnection.acceptContentTypes", "gardenClientConnection.contentType",
			"seedClientConnection.acceptContentTypes", "seedClientConnection.contentType",
			"shootClientConnection.kubeconfig", "shootClientConnection.acceptContentTypes", "shootClientConnection.contentType",
			"controllers.cacheSyncTimeout", "controllers.seed.concurrentSyncs", "controllers.shoot.reconcileInMaintenanceOnly",
			"controllers.shootCare.managedResourceProgressingThreshold", "controllers.shootCare.webhookRemediatorEnabled",
			"controllers.managedSeed.syncJitterPeriod", "controllers.managedSeed.jitterUpdates",
			"controllers.controllerInstallationCare", "controllers.controllerInstallationRequired", "controllers.gardenlet",
			"controllers.shootState", "controllers.shootStatus",
			"controllers.tokenRequestorWorkloadIdentity", "controllers.vpaEvictionRequirements", "controllers.backupEntryMigration",
			"controllers.seedAPIServerNetworkPolicy", "controllers.shootSecret", "controllers.shootStateSync",
			"leaderElection", "kubernetesLogLevel (use logLevel instead)", "debugging",
			"logging", "etcdConfig.etcdController", "etcdConfig.custodianController",
			"etcdConfig.backupCompactionController.metricsScrapeWaitDuration",
			"etcdConfig.backupLeaderElection",
			"etcdConfig.featureGates", "exposureClassHandlers[0].loadBalancerService", "monitoring.shoot.remoteWrite", "monitoring.shoot.externalLabels", "nodeToleration",
			"sni.ingress.serviceName (use frontDoor of the landscape's configuration instead)",
			"sni.ingress.serviceExternalIP (use frontDoor of the landscape's configuration instead)",
			"sni.ingress.namespace (use frontDoor of the landscape's configuration instead)",
			"featureGates.APIServerFastRollout", "featureGates.ManagedIstio",
		}
		if diff := cmp.Diff(want, cfg.WithoutEffect()); diff != "" {
			t.Errorf("keys (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"logFormat (use log.format of the landscape's configuration instead)"}, cfg.OfProcess()); diff != "" {
			t.Errorf("keys of a process (-want +got):\n%s", diff)
		}
	})
	t.Run("GLT-10 defaults are not taken for keys of the file", func(t *testing.T) {
		if small, err := config.Decode([]byte(minimal)); err != nil || len(small.WithoutEffect()) > 0 {
			t.Errorf("keys %v, %v", small.WithoutEffect(), err)
		}
	})
}
