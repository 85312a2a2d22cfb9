package config

import (
	"cmp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const defaultSyncs = 20

// SetDefaults sets the fields that are empty. It is idempotent.
func SetDefaults(cfg *GardenletConfiguration) {
	cfg.APIVersion, cfg.Kind = APIVersion, Kind
	cfg.LogLevel = cmp.Or(cfg.LogLevel, "info")
	cfg.LogFormat = cmp.Or(cfg.LogFormat, "json")
	pointer(&cfg.ShootClientConnection, ClientConnection{})
	for _, connection := range []*ClientConnection{&cfg.GardenClientConnection.ClientConnection, &cfg.SeedClientConnection, cfg.ShootClientConnection} {
		connection.ContentType = cmp.Or(connection.ContentType, "application/json")
		connection.QPS = cmp.Or(connection.QPS, 50)
		connection.Burst = cmp.Or(connection.Burst, 100)
	}
	if validity := cfg.GardenClientConnection.KubeconfigValidity; validity != nil {
		pointer(&validity.AutoRotationJitterPercentageMin, 70)
		pointer(&validity.AutoRotationJitterPercentageMax, 90)
	}
	setServerDefaults(&cfg.Server)
	c := &cfg.Controllers
	pointer(&c.BackupBucket, ConcurrentController{})
	pointer(&c.BackupBucket.ConcurrentSyncs, defaultSyncs)
	pointer(&c.BackupEntry, BackupEntryController{})
	pointer(&c.BackupEntry.ConcurrentSyncs, defaultSyncs)
	pointer(&c.BackupEntry.DeletionGracePeriodHours, 0)
	pointer(&c.Bastion, ConcurrentController{})
	pointer(&c.Bastion.ConcurrentSyncs, defaultSyncs)
	pointer(&c.ControllerInstallation, ConcurrentController{})
	pointer(&c.ControllerInstallation.ConcurrentSyncs, defaultSyncs)
	pointer(&c.Seed, SeedController{})
	pointer(&c.Seed.SyncPeriod, duration(time.Minute))
	pointer(&c.Seed.LeaseResyncSeconds, 2)
	pointer(&c.Seed.LeaseResyncMissThreshold, 10)
	pointer(&c.SeedCare, SeedCareController{})
	pointer(&c.SeedCare.SyncPeriod, duration(30*time.Second))
	pointer(&c.NetworkPolicy, NetworkPolicyController{})
	pointer(&c.NetworkPolicy.ConcurrentSyncs, 5)
	setShootDefaults(c)
	setSNIDefaults(cfg)
}

func setShootDefaults(c *Controllers) {
	pointer(&c.Shoot, ShootController{})
	pointer(&c.Shoot.ConcurrentSyncs, defaultSyncs)
	pointer(&c.Shoot.ReconcileInMaintenanceOnly, false)
	pointer(&c.Shoot.RespectSyncPeriodOverwrite, false)
	pointer(&c.Shoot.RetryDuration, duration(12*time.Hour))
	pointer(&c.Shoot.SyncPeriod, duration(time.Hour))
	pointer(&c.Shoot.DNSEntryTTLSeconds, 120)
	pointer(&c.ShootCare, ShootCareController{})
	pointer(&c.ShootCare.ConcurrentSyncs, defaultSyncs)
	pointer(&c.ShootCare.SyncPeriod, duration(time.Minute))
	pointer(&c.ShootCare.StaleExtensionHealthChecks, StaleExtensionHealthChecks{Enabled: true})
	pointer(&c.ShootCare.StaleExtensionHealthChecks.Threshold, duration(5*time.Minute))
}

// setServerDefaults sets the ports of configured listeners; nothing is served by default.
func setServerDefaults(s *Server) {
	if s.HealthProbes != nil {
		s.HealthProbes.Port = cmp.Or(s.HealthProbes.Port, 2728)
	}
	if s.Metrics != nil {
		s.Metrics.Port = cmp.Or(s.Metrics.Port, 2729)
	}
	if s.HTTPS != nil {
		s.HTTPS.Port = cmp.Or(s.HTTPS.Port, 2720)
	}
}

func setSNIDefaults(cfg *GardenletConfiguration) {
	pointer(&cfg.SNI, SNI{})
	pointer(&cfg.SNI.Ingress, SNIIngress{})
	pointer(&cfg.SNI.Ingress.ServiceName, "istio-ingressgateway")
	pointer(&cfg.SNI.Ingress.Namespace, "istio-ingress")
	if cfg.SNI.Ingress.Labels == nil {
		cfg.SNI.Ingress.Labels = ingressLabels()
	}
	for i := range cfg.ExposureClassHandlers {
		handler := &cfg.ExposureClassHandlers[i]
		pointer(&handler.SNI, SNI{})
		pointer(&handler.SNI.Ingress, SNIIngress{})
		pointer(&handler.SNI.Ingress.ServiceName, "istio-ingressgateway")
		pointer(&handler.SNI.Ingress.Namespace, "istio-ingress-handler-"+handler.Name)
		if handler.SNI.Ingress.Labels == nil {
			handler.SNI.Ingress.Labels = ingressLabels()
		}
	}
}

func ingressLabels() map[string]string {
	return map[string]string{"app": "istio-ingressgateway", "istio": "ingressgateway"}
}

func duration(d time.Duration) metav1.Duration { return metav1.Duration{Duration: d} }

func pointer[T any](field **T, fallback T) {
	if *field == nil {
		*field = &fallback
	}
}
