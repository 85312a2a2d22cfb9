package config

import (
	"slices"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
)

// Validate lists all mistakes of a defaulted configuration.
func Validate(cfg *SchedulerConfiguration) error {
	m := &componentconfig.Mistakes{}
	cfg.Log.Validate(m)
	cfg.ClientConnection.Validate(m, "clientConnection")
	cfg.Server.Validate(m)
	shoot := cfg.Schedulers.Shoot
	m.Syncs("schedulers.shoot", shoot.ConcurrentSyncs)
	m.Add(!slices.Contains(Strategies, shoot.CandidateDeterminationStrategy),
		"schedulers.shoot.candidateDeterminationStrategy %q is not one of SameRegion, MinimalDistance", shoot.CandidateDeterminationStrategy)
	cfg.LeaderElection.Validate(m)
	return m.Err()
}
