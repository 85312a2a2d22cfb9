package config

import (
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Validate lists all mistakes of a defaulted configuration.
func Validate(cfg *ControllerManagerConfiguration) error {
	v := &mistakes{}
	v.add(!slices.Contains([]string{"debug", "info", "error"}, cfg.LogLevel), "logLevel %q is not one of debug, info, error", cfg.LogLevel)
	v.add(!slices.Contains([]string{"json", "text"}, cfg.LogFormat), "logFormat %q is not one of json, text", cfg.LogFormat)
	v.add(cfg.GardenClientConnection.QPS < 0, "gardenClientConnection.qps must not be negative")
	v.add(cfg.GardenClientConnection.Burst < 0, "gardenClientConnection.burst must not be negative")
	for name, listener := range map[string]*Listener{"healthProbes": cfg.Server.HealthProbes, "metrics": cfg.Server.Metrics} {
		v.add(listener != nil && (listener.Port < 0 || listener.Port > 65535), "server.%s.port must be between 0 and 65535", name)
	}
	v.syncs(cfg.Controllers)
	v.periods(cfg.Controllers)
	v.project(cfg.Controllers.Project)
	return errors.Join(v.errs...)
}

type mistakes struct{ errs []error }

func (v *mistakes) add(wrong bool, format string, args ...any) {
	if wrong {
		v.errs = append(v.errs, fmt.Errorf(format, args...))
	}
}

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
		v.add(*s.syncs < 1, "controllers.%s.concurrentSyncs must be at least 1", s.name)
	}
	v.add(c.Event != nil && *c.Event.ConcurrentSyncs < 1, "controllers.event.concurrentSyncs must be at least 1")
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
		v.add(p.period.Duration <= 0, "controllers.%s must be positive", p.name)
	}
	v.add(c.ShootRetry.RetryJitterPeriod.Duration < 0, "controllers.shootRetry.retryJitterPeriod must not be negative")
	v.add(c.Event != nil && c.Event.TTLNonShootEvents.Duration <= 0, "controllers.event.ttlNonShootEvents must be positive")
}

func (v *mistakes) project(p *ProjectController) {
	for name, days := range map[string]int{
		"minimumLifetimeDays": *p.MinimumLifetimeDays, "staleGracePeriodDays": *p.StaleGracePeriodDays, "staleExpirationTimeDays": *p.StaleExpirationTimeDays,
	} {
		v.add(days < 0, "controllers.project.%s must not be negative", name)
	}
	v.add(*p.StaleExpirationTimeDays < *p.StaleGracePeriodDays,
		"controllers.project.staleExpirationTimeDays must not be less than staleGracePeriodDays")
	for i, quota := range p.Quotas {
		v.add(quota.Config == nil, "controllers.project.quotas[%d].config is required", i)
		_, err := metav1.LabelSelectorAsSelector(quota.ProjectSelector)
		v.add(err != nil, "controllers.project.quotas[%d].projectSelector: %v", i, err)
	}
}
