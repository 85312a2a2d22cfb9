package config

import (
	"cmp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	defaultSyncs = 5
	day          = 24 * time.Hour
)

// Default is the configuration of an empty file.
func Default() *ControllerManagerConfiguration {
	cfg := &ControllerManagerConfiguration{}
	SetDefaults(cfg)
	return cfg
}

// SetDefaults sets the fields that are empty. It is idempotent.
func SetDefaults(cfg *ControllerManagerConfiguration) {
	cfg.APIVersion, cfg.Kind = APIVersion, Kind
	cfg.LogLevel = cmp.Or(cfg.LogLevel, "info")
	cfg.LogFormat = cmp.Or(cfg.LogFormat, "json")
	if cfg.Server.HealthProbes != nil {
		cfg.Server.HealthProbes.Port = cmp.Or(cfg.Server.HealthProbes.Port, 2718)
	}
	if cfg.Server.Metrics != nil {
		cfg.Server.Metrics.Port = cmp.Or(cfg.Server.Metrics.Port, 2719)
	}
	c := &cfg.Controllers
	for _, plain := range []**ConcurrentController{
		&c.CertificateSigningRequest, &c.CloudProfile, &c.NamespacedCloudProfile, &c.ControllerDeployment, &c.ControllerRegistration,
		&c.ExposureClass, &c.Quota, &c.SecretBinding, &c.CredentialsBinding,
	} {
		pointer(plain, ConcurrentController{})
		pointer(&(*plain).ConcurrentSyncs, defaultSyncs)
	}
	pointer(&c.Bastion, BastionController{})
	pointer(&c.Bastion.ConcurrentSyncs, defaultSyncs)
	pointer(&c.Bastion.MaxLifetime, duration(day))
	if c.Event != nil {
		pointer(&c.Event.ConcurrentSyncs, defaultSyncs)
		pointer(&c.Event.TTLNonShootEvents, duration(time.Hour))
	}
	pointer(&c.Plant, PlantController{})
	pointer(&c.Plant.ConcurrentSyncs, defaultSyncs)
	pointer(&c.Plant.SyncPeriod, duration(30*time.Second))
	setProjectDefaults(c)
	setSeedDefaults(c)
	setShootDefaults(c)
}

func setProjectDefaults(c *Controllers) {
	pointer(&c.Project, ProjectController{})
	pointer(&c.Project.ConcurrentSyncs, defaultSyncs)
	pointer(&c.Project.MinimumLifetimeDays, 30)
	pointer(&c.Project.StaleGracePeriodDays, 14)
	pointer(&c.Project.StaleExpirationTimeDays, 90)
	pointer(&c.Project.StaleSyncPeriod, duration(12*time.Hour))
	for i := range c.Project.Quotas {
		pointer(&c.Project.Quotas[i].ProjectSelector, metav1.LabelSelector{})
	}
}

func setSeedDefaults(c *Controllers) {
	pointer(&c.Seed, SeedController{})
	pointer(&c.Seed.ConcurrentSyncs, defaultSyncs)
	pointer(&c.Seed.SyncPeriod, duration(10*time.Second))
	pointer(&c.Seed.MonitorPeriod, duration(40*time.Second))
	pointer(&c.Seed.ShootMonitorPeriod, duration(5*c.Seed.MonitorPeriod.Duration))
}

func setShootDefaults(c *Controllers) {
	pointer(&c.ShootMaintenance, ShootMaintenanceController{})
	pointer(&c.ShootMaintenance.ConcurrentSyncs, defaultSyncs)
	pointer(&c.ShootMaintenance.EnableShootControlPlaneRestarter, true)
	pointer(&c.ShootMaintenance.EnableShootCoreAddonRestarter, false)
	pointer(&c.ShootQuota, ShootQuotaController{})
	pointer(&c.ShootQuota.ConcurrentSyncs, defaultSyncs)
	pointer(&c.ShootQuota.SyncPeriod, duration(time.Hour))
	pointer(&c.ShootHibernation, ShootHibernationController{})
	pointer(&c.ShootHibernation.ConcurrentSyncs, defaultSyncs)
	pointer(&c.ShootHibernation.TriggerDeadlineDuration, duration(2*time.Hour))
	pointer(&c.ShootReference, ShootReferenceController{})
	pointer(&c.ShootReference.ConcurrentSyncs, defaultSyncs)
	pointer(&c.ShootRetry, ShootRetryController{})
	pointer(&c.ShootRetry.ConcurrentSyncs, defaultSyncs)
	pointer(&c.ShootRetry.RetryPeriod, duration(10*time.Minute))
	pointer(&c.ShootRetry.RetryJitterPeriod, duration(5*time.Minute))
}

func duration(d time.Duration) metav1.Duration { return metav1.Duration{Duration: d} }

func pointer[T any](field **T, fallback T) {
	if *field == nil {
		*field = &fallback
	}
}
