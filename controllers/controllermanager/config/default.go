package config

import (
	"cmp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
	"github.com/gardener-up/gardener-up/embedded/apis/defaulting"
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
	cfg.Log.SetDefaults()
	cfg.Server.SetDefaults(2718, 2719)
	defaulting.Pointer(&cfg.LeaderElection, componentconfig.LeaderElection{})
	cfg.LeaderElection.SetDefaults("gardener-controller-manager-leader-election")
	cfg.LeaderElection.ResourceNamespace = cmp.Or(cfg.LeaderElection.ResourceNamespace, "garden")
	if cfg.Server.HTTPS != nil {
		cfg.Server.HTTPS.Port = cmp.Or(cfg.Server.HTTPS.Port, 2720)
	}
	c := &cfg.Controllers
	for _, plain := range []**componentconfig.ConcurrentController{
		&c.CertificateSigningRequest, &c.CloudProfile, &c.NamespacedCloudProfile, &c.ControllerDeployment, &c.ControllerRegistration,
		&c.ExposureClass, &c.Quota, &c.SecretBinding, &c.CredentialsBinding,
	} {
		componentconfig.SetConcurrentController(plain, defaultSyncs)
	}
	defaulting.Pointer(&c.Bastion, BastionController{})
	defaulting.Pointer(&c.Bastion.ConcurrentSyncs, defaultSyncs)
	defaulting.Duration(&c.Bastion.MaxLifetime, day)
	if c.Event != nil {
		defaulting.Pointer(&c.Event.ConcurrentSyncs, defaultSyncs)
		defaulting.Duration(&c.Event.TTLNonShootEvents, time.Hour)
	}
	defaulting.Pointer(&c.Plant, PlantController{})
	defaulting.Pointer(&c.Plant.ConcurrentSyncs, defaultSyncs)
	defaulting.Duration(&c.Plant.SyncPeriod, 30*time.Second)
	setProjectDefaults(c)
	setSeedDefaults(c)
	setShootDefaults(c)
}

// ServeHealth serves the health over TLS at a port of this machine, unless the file says where it is served.
func (c *ControllerManagerConfiguration) ServeHealth(port int) {
	if c.Server.HTTPS == nil && c.Server.HealthProbes == nil {
		c.Server.HTTPS = &componentconfig.HTTPSListener{Listener: componentconfig.Listener{BindAddress: "127.0.0.1", Port: port}}
	}
}

func setProjectDefaults(c *Controllers) {
	defaulting.Pointer(&c.Project, ProjectController{})
	defaulting.Pointer(&c.Project.ConcurrentSyncs, defaultSyncs)
	defaulting.Pointer(&c.Project.MinimumLifetimeDays, 30)
	defaulting.Pointer(&c.Project.StaleGracePeriodDays, 14)
	defaulting.Pointer(&c.Project.StaleExpirationTimeDays, 90)
	defaulting.Duration(&c.Project.StaleSyncPeriod, 12*time.Hour)
	for i := range c.Project.Quotas {
		defaulting.Pointer(&c.Project.Quotas[i].ProjectSelector, metav1.LabelSelector{})
	}
}

func setSeedDefaults(c *Controllers) {
	defaulting.Pointer(&c.Seed, SeedController{})
	defaulting.Pointer(&c.Seed.ConcurrentSyncs, defaultSyncs)
	defaulting.Duration(&c.Seed.SyncPeriod, 10*time.Second)
	defaulting.Duration(&c.Seed.MonitorPeriod, 40*time.Second)
	defaulting.Duration(&c.Seed.ShootMonitorPeriod, 5*c.Seed.MonitorPeriod.Duration)
}

func setShootDefaults(c *Controllers) {
	defaulting.Pointer(&c.ShootMaintenance, ShootMaintenanceController{})
	defaulting.Pointer(&c.ShootMaintenance.ConcurrentSyncs, defaultSyncs)
	defaulting.Pointer(&c.ShootMaintenance.EnableShootControlPlaneRestarter, true)
	defaulting.Pointer(&c.ShootMaintenance.EnableShootCoreAddonRestarter, false)
	defaulting.Pointer(&c.ShootQuota, ShootQuotaController{})
	defaulting.Pointer(&c.ShootQuota.ConcurrentSyncs, defaultSyncs)
	defaulting.Duration(&c.ShootQuota.SyncPeriod, time.Hour)
	defaulting.Pointer(&c.ShootHibernation, ShootHibernationController{})
	defaulting.Pointer(&c.ShootHibernation.ConcurrentSyncs, defaultSyncs)
	defaulting.Duration(&c.ShootHibernation.TriggerDeadlineDuration, 2*time.Hour)
	defaulting.Pointer(&c.ShootReference, ShootReferenceController{})
	defaulting.Pointer(&c.ShootReference.ConcurrentSyncs, defaultSyncs)
	defaulting.Pointer(&c.ShootRetry, ShootRetryController{})
	defaulting.Pointer(&c.ShootRetry.ConcurrentSyncs, defaultSyncs)
	defaulting.Duration(&c.ShootRetry.RetryPeriod, 10*time.Minute)
	defaulting.Duration(&c.ShootRetry.RetryJitterPeriod, 5*time.Minute)
}
