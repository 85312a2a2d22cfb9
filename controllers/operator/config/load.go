package config

import (
	"fmt"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
	"github.com/gardener-up/gardener-up/controllers/internal/effect"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/defaulting"
)

// Default is the configuration of an empty file.
func Default() *OperatorConfiguration {
	cfg := &OperatorConfiguration{}
	SetDefaults(cfg)
	return cfg
}

// SetDefaults sets the fields that are empty. It is idempotent.
func SetDefaults(cfg *OperatorConfiguration) {
	cfg.APIVersion, cfg.Kind = APIVersion, Kind
	defaulting.Pointer(&cfg.Controllers.Garden, Garden{})
	defaulting.Pointer(&cfg.Controllers.Garden.SyncPeriod, metav1.Duration{Duration: time.Hour})
	defaulting.Pointer(&cfg.Controllers.GardenCare, Care{})
	defaulting.Pointer(&cfg.Controllers.GardenCare.SyncPeriod, metav1.Duration{Duration: 10 * time.Second})
}

// Decode reads, defaults and validates a configuration. The error lists all mistakes, including unknown and duplicate keys.
// apiVersion and kind may be left out.
func Decode(raw []byte) (*OperatorConfiguration, error) {
	cfg := &OperatorConfiguration{}
	if err := componentconfig.Decode(raw, cfg); err != nil {
		return nil, err
	}
	if cfg.APIVersion != "" && cfg.APIVersion != APIVersion || cfg.Kind != "" && cfg.Kind != Kind {
		return nil, fmt.Errorf("apiVersion and kind are %q and %q instead of %q and %q", cfg.APIVersion, cfg.Kind, APIVersion, Kind)
	}
	cfg.withoutEffect = effect.Keys(*cfg, *Default(), effect.None)
	SetDefaults(cfg)
	return cfg, Validate(cfg)
}

// WithoutEffect lists the keys that the decoded configuration sets although this operator does not act on them. Keys are in the order
// in which the type declares them.
func (c *OperatorConfiguration) WithoutEffect() []string { return c.withoutEffect }

// Report logs the keys without effect.
func (c *OperatorConfiguration) Report(log logr.Logger) { effect.Log(log, c.withoutEffect) }

// Thresholds are the thresholds of the conditions of a Garden, by type.
func (c *Care) Thresholds() map[gardencorev1beta1.ConditionType]time.Duration {
	out := map[gardencorev1beta1.ConditionType]time.Duration{}
	for _, threshold := range c.ConditionThresholds {
		out[gardencorev1beta1.ConditionType(threshold.Type)] = threshold.Duration.Duration
	}
	return out
}
