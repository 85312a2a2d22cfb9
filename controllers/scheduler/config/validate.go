package config

import (
	"errors"
	"fmt"
	"slices"
)

// Validate lists all mistakes of a defaulted configuration.
func Validate(cfg *SchedulerConfiguration) error {
	var errs []error
	refuse := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	refuse(!slices.Contains([]string{"debug", "info", "error"}, cfg.LogLevel), "logLevel %q is not one of debug, info, error", cfg.LogLevel)
	refuse(!slices.Contains([]string{"json", "text"}, cfg.LogFormat), "logFormat %q is not one of json, text", cfg.LogFormat)
	refuse(cfg.ClientConnection.QPS < 0, "clientConnection.qps must not be negative")
	refuse(cfg.ClientConnection.Burst < 0, "clientConnection.burst must not be negative")
	for name, listener := range map[string]*Listener{"healthProbes": cfg.Server.HealthProbes, "metrics": cfg.Server.Metrics} {
		refuse(listener != nil && (listener.Port < 0 || listener.Port > 65535), "server.%s.port must be between 0 and 65535", name)
	}
	shoot := cfg.Schedulers.Shoot
	refuse(shoot.ConcurrentSyncs < 1, "schedulers.shoot.concurrentSyncs must be at least 1")
	refuse(!slices.Contains(Strategies, shoot.CandidateDeterminationStrategy),
		"schedulers.shoot.candidateDeterminationStrategy %q is not one of SameRegion, MinimalDistance", shoot.CandidateDeterminationStrategy)
	e := cfg.LeaderElection
	refuse(e.RetryPeriod.Duration <= 0, "leaderElection.retryPeriod must be positive")
	refuse(e.RenewDeadline.Duration <= e.RetryPeriod.Duration, "leaderElection.renewDeadline must be more than retryPeriod")
	refuse(e.LeaseDuration.Duration <= e.RenewDeadline.Duration, "leaderElection.leaseDuration must be more than renewDeadline")
	return errors.Join(errs...)
}
