package config

import (
	"cmp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Default is the configuration of an empty file.
func Default() *SchedulerConfiguration {
	cfg := &SchedulerConfiguration{}
	SetDefaults(cfg)
	return cfg
}

// SetDefaults sets the fields that are empty. It is idempotent.
func SetDefaults(cfg *SchedulerConfiguration) {
	cfg.APIVersion, cfg.Kind = APIVersion, Kind
	cfg.LogLevel = cmp.Or(cfg.LogLevel, "info")
	cfg.LogFormat = cmp.Or(cfg.LogFormat, "json")
	if cfg.Server.HealthProbes != nil {
		cfg.Server.HealthProbes.Port = cmp.Or(cfg.Server.HealthProbes.Port, 10251)
	}
	if cfg.Server.Metrics != nil {
		cfg.Server.Metrics.Port = cmp.Or(cfg.Server.Metrics.Port, 19251)
	}
	cfg.Schedulers.Shoot = cmp.Or(cfg.Schedulers.Shoot, &ShootScheduler{})
	shoot := cfg.Schedulers.Shoot
	shoot.ConcurrentSyncs = cmp.Or(shoot.ConcurrentSyncs, 5)
	shoot.CandidateDeterminationStrategy = cmp.Or(shoot.CandidateDeterminationStrategy, SameRegion)
	cfg.LeaderElection = cmp.Or(cfg.LeaderElection, &LeaderElection{})
	setElectionDefaults(cfg.LeaderElection)
}

func setElectionDefaults(e *LeaderElection) {
	e.LeaderElect = cmp.Or(e.LeaderElect, new(true))
	e.LeaseDuration = cmp.Or(e.LeaseDuration, metav1.Duration{Duration: 15 * time.Second})
	e.RenewDeadline = cmp.Or(e.RenewDeadline, metav1.Duration{Duration: 10 * time.Second})
	e.RetryPeriod = cmp.Or(e.RetryPeriod, metav1.Duration{Duration: 2 * time.Second})
	e.ResourceLock = cmp.Or(e.ResourceLock, "leases")
	e.ResourceName = cmp.Or(e.ResourceName, "gardener-scheduler-leader-election")
	e.ResourceNamespace = cmp.Or(e.ResourceNamespace, "garden")
}
