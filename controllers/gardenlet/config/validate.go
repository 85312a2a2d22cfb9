package config

import (
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Validate lists all mistakes of a defaulted configuration.
func Validate(cfg *GardenletConfiguration) error {
	v := &mistakes{}
	v.add(cfg.SeedConfig == nil, "seedConfig is required")
	v.add(cfg.SeedConfig != nil && cfg.SeedConfig.Name == "", "seedConfig.metadata.name is required")
	v.add(!slices.Contains([]string{"debug", "info", "error"}, cfg.LogLevel), "logLevel %q is not one of debug, info, error", cfg.LogLevel)
	v.add(!slices.Contains([]string{"json", "text"}, cfg.LogFormat), "logFormat %q is not one of json, text", cfg.LogFormat)
	v.connections(cfg)
	v.controllers(cfg.Controllers)
	v.resources(cfg.Resources)
	v.server(cfg.Server)
	v.gates(cfg)
	v.handlers(cfg.ExposureClassHandlers)
	return errors.Join(v.errs...)
}

type mistakes struct{ errs []error }

func (v *mistakes) add(wrong bool, format string, args ...any) {
	if wrong {
		v.errs = append(v.errs, fmt.Errorf(format, args...))
	}
}

func (v *mistakes) connections(cfg *GardenletConfiguration) {
	for _, c := range []struct {
		name string
		ClientConnection
	}{{"gardenClientConnection", cfg.GardenClientConnection.ClientConnection}, {"seedClientConnection", cfg.SeedClientConnection}} {
		v.add(c.QPS < 0, "%s.qps must not be negative", c.name)
		v.add(c.Burst < 0, "%s.burst must not be negative", c.name)
	}
	validity := cfg.GardenClientConnection.KubeconfigValidity
	if validity == nil {
		return
	}
	const path = "gardenClientConnection.kubeconfigValidity."
	v.add(validity.Validity != nil && validity.Validity.Duration < 10*time.Minute, path+"validity must be at least 10m")
	from, to := *validity.AutoRotationJitterPercentageMin, *validity.AutoRotationJitterPercentageMax
	v.add(from < 1 || from > 100, path+"autoRotationJitterPercentageMin must be between 1 and 100")
	v.add(to < 1 || to > 100, path+"autoRotationJitterPercentageMax must be between 1 and 100")
	v.add(from > to, path+"autoRotationJitterPercentageMin must not be more than autoRotationJitterPercentageMax")
}

func (v *mistakes) controllers(c Controllers) {
	for _, s := range []struct {
		name  string
		syncs *int
	}{
		{"backupBucket", c.BackupBucket.ConcurrentSyncs}, {"backupEntry", c.BackupEntry.ConcurrentSyncs}, {"bastion", c.Bastion.ConcurrentSyncs},
		{"controllerInstallation", c.ControllerInstallation.ConcurrentSyncs}, {"shoot", c.Shoot.ConcurrentSyncs}, {"shootCare", c.ShootCare.ConcurrentSyncs},
		{"networkPolicy", c.NetworkPolicy.ConcurrentSyncs},
	} {
		v.add(*s.syncs < 1, "controllers.%s.concurrentSyncs must be at least 1", s.name)
	}
	for _, p := range []struct {
		name   string
		period time.Duration
	}{
		{"seed.syncPeriod", c.Seed.SyncPeriod.Duration}, {"shoot.syncPeriod", c.Shoot.SyncPeriod.Duration},
		{"shoot.retryDuration", c.Shoot.RetryDuration.Duration}, {"shootCare.syncPeriod", c.ShootCare.SyncPeriod.Duration},
	} {
		v.add(p.period <= 0, "controllers.%s must be positive", p.name)
	}
	for i := range c.NetworkPolicy.AdditionalNamespaceSelectors {
		_, err := metav1.LabelSelectorAsSelector(&c.NetworkPolicy.AdditionalNamespaceSelectors[i])
		v.add(err != nil, "controllers.networkPolicy.additionalNamespaceSelectors[%d]: %v", i, err)
	}
	v.add(*c.Seed.LeaseResyncSeconds < 1, "controllers.seed.leaseResyncSeconds must be at least 1")
	v.add(*c.Seed.LeaseResyncMissThreshold < 1, "controllers.seed.leaseResyncMissThreshold must be at least 1")
	v.add(*c.BackupEntry.DeletionGracePeriodHours < 0, "controllers.backupEntry.deletionGracePeriodHours must not be negative")
	v.add(c.Shoot.ProgressReportPeriod != nil && c.Shoot.ProgressReportPeriod.Duration < 0, "controllers.shoot.progressReportPeriod must not be negative")
	v.add(*c.Shoot.DNSEntryTTLSeconds < 30 || *c.Shoot.DNSEntryTTLSeconds > 600, "controllers.shoot.dnsEntryTTLSeconds must be between 30 and 600")
}

func (v *mistakes) resources(r *Resources) {
	if r == nil {
		return
	}
	for name, reserved := range r.Reserved {
		capacity, found := r.Capacity[name]
		v.add(!found, "resources.reserved.%s has no capacity", name)
		v.add(found && reserved.Cmp(capacity) > 0, "resources.reserved.%s is more than the capacity", name)
	}
}

func (v *mistakes) server(s Server) {
	listeners := map[string]*Listener{"healthProbes": s.HealthProbes, "metrics": s.Metrics}
	if s.HTTPS != nil {
		listeners["https"] = &s.HTTPS.Listener
		if files := s.HTTPS.TLS; files != nil {
			v.add(files.ServerCertPath == "", "server.https.tls.serverCertPath is required")
			v.add(files.ServerKeyPath == "", "server.https.tls.serverKeyPath is required")
		}
	}
	for name, listener := range listeners {
		v.add(listener != nil && (listener.Port < 0 || listener.Port > 65535), "server.%s.port must be between 0 and 65535", name)
	}
}
