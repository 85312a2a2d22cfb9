package config

import (
	"slices"
	"time"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// Validate lists all mistakes of a defaulted configuration.
func Validate(cfg *OperatorConfiguration) error {
	m := &componentconfig.Mistakes{}
	componentconfig.Log{LogLevel: cfg.LogLevel, LogFormat: cfg.LogFormat}.Validate(m)
	cfg.RuntimeClientConnection.Validate(m, "runtimeClientConnection")
	cfg.LeaderElection.Validate(m)
	cfg.Server.Webhooks.Validate(m, "server.webhooks")
	cfg.Server.Validate(m)
	garden, care := cfg.Controllers.Garden, cfg.Controllers.GardenCare
	m.Add(garden.SyncPeriod.Duration < time.Second, "controllers.garden.syncPeriod must be at least 1s")
	m.Add(care.SyncPeriod.Duration < time.Second, "controllers.gardenCare.syncPeriod must be at least 1s")
	seen := map[string]bool{}
	for i, threshold := range care.ConditionThresholds {
		const path = "controllers.gardenCare.conditionThresholds[%d]"
		m.Add(!slices.Contains(operatorv1alpha1.GardenConditions(), gardencorev1beta1.ConditionType(threshold.Type)),
			path+".type %q is not one of %v", i, threshold.Type, operatorv1alpha1.GardenConditions())
		m.Add(seen[threshold.Type], path+".type %q is listed twice", i, threshold.Type)
		m.Add(threshold.Duration.Duration < 0, path+".duration must not be negative", i)
		seen[threshold.Type] = true
	}
	return m.Err()
}
