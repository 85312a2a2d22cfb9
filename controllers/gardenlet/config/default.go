package config

import (
	"cmp"
	"time"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
	"github.com/gardener-up/gardener-up/embedded/apis/defaulting"
)

const defaultSyncs = 20

// SetDefaults sets the fields that are empty. It is idempotent.
func SetDefaults(cfg *GardenletConfiguration) {
	cfg.APIVersion, cfg.Kind = APIVersion, Kind
	cfg.Log.SetDefaults()
	defaulting.Pointer(&cfg.ShootClientConnection, componentconfig.ClientConnection{})
	for _, connection := range []*componentconfig.Requests{&cfg.GardenClientConnection.Requests, &cfg.SeedClientConnection.Requests, &cfg.ShootClientConnection.Requests} {
		connection.ContentType = cmp.Or(connection.ContentType, "application/json")
		connection.SetDefaults(50, 100)
	}
	if validity := cfg.GardenClientConnection.KubeconfigValidity; validity != nil {
		defaulting.Pointer(&validity.AutoRotationJitterPercentageMin, 70)
		defaulting.Pointer(&validity.AutoRotationJitterPercentageMax, 90)
	}
	cfg.Server.SetDefaults(2728, 2729)
	if cfg.Server.HTTPS != nil {
		cfg.Server.HTTPS.Port = cmp.Or(cfg.Server.HTTPS.Port, 2720)
	}
	c := &cfg.Controllers
	componentconfig.SetConcurrentController(&c.BackupBucket, defaultSyncs)
	defaulting.Pointer(&c.BackupEntry, BackupEntryController{})
	defaulting.Pointer(&c.BackupEntry.ConcurrentSyncs, defaultSyncs)
	defaulting.Pointer(&c.BackupEntry.DeletionGracePeriodHours, 0)
	componentconfig.SetConcurrentController(&c.Bastion, defaultSyncs)
	componentconfig.SetConcurrentController(&c.ControllerInstallation, defaultSyncs)
	defaulting.Pointer(&c.Seed, SeedController{})
	defaulting.Duration(&c.Seed.SyncPeriod, time.Minute)
	defaulting.Pointer(&c.Seed.LeaseResyncSeconds, 2)
	defaulting.Pointer(&c.Seed.LeaseResyncMissThreshold, 10)
	defaulting.Pointer(&c.SeedCare, SeedCareController{})
	defaulting.Duration(&c.SeedCare.SyncPeriod, 30*time.Second)
	defaulting.Pointer(&c.ManagedSeed, ManagedSeedController{})
	defaulting.Pointer(&c.ManagedSeed.ConcurrentSyncs, 5)
	defaulting.Duration(&c.ManagedSeed.SyncPeriod, time.Hour)
	defaulting.Duration(&c.ManagedSeed.WaitSyncPeriod, 15*time.Second)
	defaulting.Pointer(&c.NetworkPolicy, NetworkPolicyController{})
	defaulting.Pointer(&c.NetworkPolicy.ConcurrentSyncs, 5)
	componentconfig.SetConcurrentController(&c.TokenRequestor, 5)
	setShootDefaults(c)
	setSNIDefaults(cfg)
}

func setShootDefaults(c *Controllers) {
	defaulting.Pointer(&c.Shoot, ShootController{})
	defaulting.Pointer(&c.Shoot.ConcurrentSyncs, defaultSyncs)
	defaulting.Pointer(&c.Shoot.ReconcileInMaintenanceOnly, false)
	defaulting.Pointer(&c.Shoot.RespectSyncPeriodOverwrite, false)
	defaulting.Duration(&c.Shoot.RetryDuration, 12*time.Hour)
	defaulting.Duration(&c.Shoot.SyncPeriod, time.Hour)
	defaulting.Pointer(&c.Shoot.DNSEntryTTLSeconds, 120)
	defaulting.Pointer(&c.ShootMigration, MigrationController{})
	defaulting.Pointer(&c.ShootMigration.ConcurrentSyncs, 5)
	defaulting.Duration(&c.ShootMigration.SyncPeriod, time.Minute)
	defaulting.Duration(&c.ShootMigration.GracePeriod, 2*time.Hour)
	defaulting.Duration(&c.ShootMigration.LastOperationStaleDuration, 10*time.Minute)
	defaulting.Pointer(&c.ShootCare, ShootCareController{})
	defaulting.Pointer(&c.ShootCare.ConcurrentSyncs, defaultSyncs)
	defaulting.Duration(&c.ShootCare.SyncPeriod, time.Minute)
	defaulting.Pointer(&c.ShootCare.StaleExtensionHealthChecks, StaleExtensionHealthChecks{Enabled: true})
	defaulting.Duration(&c.ShootCare.StaleExtensionHealthChecks.Threshold, 5*time.Minute)
}

func setSNIDefaults(cfg *GardenletConfiguration) {
	defaulting.Pointer(&cfg.SNI, SNI{})
	defaulting.Pointer(&cfg.SNI.Ingress, SNIIngress{})
	defaulting.Pointer(&cfg.SNI.Ingress.ServiceName, "istio-ingressgateway")
	defaulting.Pointer(&cfg.SNI.Ingress.Namespace, "istio-ingress")
	if cfg.SNI.Ingress.Labels == nil {
		cfg.SNI.Ingress.Labels = ingressLabels()
	}
	for i := range cfg.ExposureClassHandlers {
		handler := &cfg.ExposureClassHandlers[i]
		defaulting.Pointer(&handler.SNI, SNI{})
		defaulting.Pointer(&handler.SNI.Ingress, SNIIngress{})
		defaulting.Pointer(&handler.SNI.Ingress.ServiceName, "istio-ingressgateway")
		defaulting.Pointer(&handler.SNI.Ingress.Namespace, "istio-ingress-handler-"+handler.Name)
		if handler.SNI.Ingress.Labels == nil {
			handler.SNI.Ingress.Labels = ingressLabels()
		}
	}
}

func ingressLabels() map[string]string {
	return map[string]string{"app": "istio-ingressgateway", "istio": "ingressgateway"}
}
