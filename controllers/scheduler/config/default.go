package config

import (
	"cmp"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
	"github.com/gardener-up/gardener-up/embedded/apis/defaulting"
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
	cfg.Log.SetDefaults()
	cfg.Server.SetDefaults(10251, 19251)
	defaulting.Pointer(&cfg.Schedulers.Shoot, ShootScheduler{})
	shoot := cfg.Schedulers.Shoot
	shoot.ConcurrentSyncs = cmp.Or(shoot.ConcurrentSyncs, 5)
	shoot.CandidateDeterminationStrategy = cmp.Or(shoot.CandidateDeterminationStrategy, SameRegion)
	defaulting.Pointer(&cfg.LeaderElection, componentconfig.LeaderElection{})
	cfg.LeaderElection.SetDefaults("gardener-scheduler-leader-election")
	cfg.LeaderElection.ResourceNamespace = cmp.Or(cfg.LeaderElection.ResourceNamespace, "garden")
}
