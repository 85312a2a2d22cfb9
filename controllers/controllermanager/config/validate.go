package config

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
)

// Validate lists all mistakes of a defaulted configuration.
func Validate(cfg *ControllerManagerConfiguration) error {
	v := &mistakes{}
	cfg.Log.Validate(&v.Mistakes)
	cfg.GardenClientConnection.Validate(&v.Mistakes, "gardenClientConnection")
	cfg.Server.Validate(&v.Mistakes)
	cfg.Server.HTTPS.Validate(&v.Mistakes, "server.https")
	cfg.LeaderElection.Validate(&v.Mistakes)
	v.syncs(cfg.Controllers)
	v.periods(cfg.Controllers)
	v.project(cfg.Controllers.Project)
	return v.Err()
}

type mistakes struct{ componentconfig.Mistakes }

func (v *mistakes) syncs(c Controllers) {
	for _, s := range []struct {
		name  string
		syncs *int
	}{
		{"bastion", c.Bastion.ConcurrentSyncs}, {"certificateSigningRequest", c.CertificateSigningRequest.ConcurrentSyncs},
		{"cloudProfile", c.CloudProfile.ConcurrentSyncs}, {"namespacedCloudProfile", c.NamespacedCloudProfile.ConcurrentSyncs},
		{"controllerDeployment", c.ControllerDeployment.ConcurrentSyncs}, {"controllerRegistration", c.ControllerRegistration.ConcurrentSyncs},
		{"exposureClass", c.ExposureClass.ConcurrentSyncs}, {"plant", c.Plant.ConcurrentSyncs}, {"project", c.Project.ConcurrentSyncs},
		{"quota", c.Quota.ConcurrentSyncs}, {"secretBinding", c.SecretBinding.ConcurrentSyncs}, {"credentialsBinding", c.CredentialsBinding.ConcurrentSyncs},
		{"seed", c.Seed.ConcurrentSyncs}, {"shootMaintenance", c.ShootMaintenance.ConcurrentSyncs}, {"shootQuota", c.ShootQuota.ConcurrentSyncs},
		{"shootHibernation", c.ShootHibernation.ConcurrentSyncs}, {"shootReference", c.ShootReference.ConcurrentSyncs}, {"shootRetry", c.ShootRetry.ConcurrentSyncs},
	} {
		v.Syncs("controllers."+s.name, *s.syncs)
	}
	if c.Event != nil {
		v.Syncs("controllers.event", *c.Event.ConcurrentSyncs)
	}
}

func (v *mistakes) periods(c Controllers) {
	for _, p := range []struct {
		name   string
		period *metav1.Duration
	}{
		{"bastion.maxLifetime", c.Bastion.MaxLifetime}, {"plant.syncPeriod", c.Plant.SyncPeriod}, {"project.staleSyncPeriod", c.Project.StaleSyncPeriod},
		{"seed.syncPeriod", c.Seed.SyncPeriod}, {"seed.monitorPeriod", c.Seed.MonitorPeriod}, {"seed.shootMonitorPeriod", c.Seed.ShootMonitorPeriod},
		{"shootQuota.syncPeriod", c.ShootQuota.SyncPeriod}, {"shootHibernation.triggerDeadlineDuration", c.ShootHibernation.TriggerDeadlineDuration},
		{"shootRetry.retryPeriod", c.ShootRetry.RetryPeriod},
	} {
		v.Add(p.period.Duration <= 0, "controllers.%s must be positive", p.name)
	}
	v.Add(c.ShootRetry.RetryJitterPeriod.Duration < 0, "controllers.shootRetry.retryJitterPeriod must not be negative")
	v.Add(c.Event != nil && c.Event.TTLNonShootEvents.Duration <= 0, "controllers.event.ttlNonShootEvents must be positive")
}

func (v *mistakes) project(p *ProjectController) {
	for name, days := range map[string]int{
		"minimumLifetimeDays": *p.MinimumLifetimeDays, "staleGracePeriodDays": *p.StaleGracePeriodDays, "staleExpirationTimeDays": *p.StaleExpirationTimeDays,
	} {
		v.Add(days < 0, "controllers.project.%s must not be negative", name)
	}
	v.Add(*p.StaleExpirationTimeDays < *p.StaleGracePeriodDays,
		"controllers.project.staleExpirationTimeDays must not be less than staleGracePeriodDays")
	for i, quota := range p.Quotas {
		v.Add(quota.Config == nil, "controllers.project.quotas[%d].config is required", i)
		_, err := metav1.LabelSelectorAsSelector(quota.ProjectSelector)
		v.Add(err != nil, "controllers.project.quotas[%d].projectSelector: %v", i, err)
	}
}
