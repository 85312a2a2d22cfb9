package config

import (
	"cmp"
	"fmt"
	"os"
	"time"

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
	defaulting.Pointer(&cfg.RuntimeClientConnection, RuntimeConnection{})
	cfg.RuntimeClientConnection.SetDefaults(100, 130)
	defaulting.Pointer(&cfg.LeaderElection, componentconfig.LeaderElection{})
	cfg.LeaderElection.SetDefaults("gardener-operator-leader-election")
	cfg.LeaderElection.ResourceNamespace = cmp.Or(cfg.LeaderElection.ResourceNamespace, "garden")
	log := componentconfig.Log{LogLevel: cfg.LogLevel, LogFormat: cfg.LogFormat}
	log.SetDefaults()
	cfg.LogLevel, cfg.LogFormat = log.LogLevel, log.LogFormat
	defaulting.Pointer(&cfg.Server, Server{})
	defaulting.Pointer(&cfg.Server.Webhooks, componentconfig.Listener{})
	cfg.Server.Webhooks.Port = cmp.Or(cfg.Server.Webhooks.Port, 2750)
	cfg.Server.SetDefaults(2751, 2752)
	defaulting.Pointer(&cfg.Controllers.Garden, Garden{})
	defaulting.Pointer(&cfg.Controllers.Garden.SyncPeriod, metav1.Duration{Duration: time.Hour})
	defaulting.Pointer(&cfg.Controllers.GardenCare, Care{})
	defaulting.Pointer(&cfg.Controllers.GardenCare.SyncPeriod, metav1.Duration{Duration: 10 * time.Second})
}

// Load reads a file as Decode does.
func Load(path string) (*OperatorConfiguration, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	cfg, err := Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("configuration %s: %w", path, err)
	}
	return cfg, nil
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
	cfg.withoutEffect, cfg.ofProcess = effect.Keys(*cfg, *Default(), effect.None), effect.Keys(*cfg, *Default(), effect.Process)
	SetDefaults(cfg)
	return cfg, Validate(cfg)
}

// WithoutEffect lists the keys that the decoded configuration sets although this operator does not act on them. Keys are in the order
// in which the type declares them.
func (c *OperatorConfiguration) WithoutEffect() []string { return c.withoutEffect }

// OfProcess lists the keys that the decoded configuration sets although they have no effect in a landscape.
func (c *OperatorConfiguration) OfProcess() []string { return c.ofProcess }

// Thresholds are the thresholds of the conditions of a Garden, by type.
func (c *Care) Thresholds() map[gardencorev1beta1.ConditionType]time.Duration {
	out := map[gardencorev1beta1.ConditionType]time.Duration{}
	for _, threshold := range c.ConditionThresholds {
		out[gardencorev1beta1.ConditionType(threshold.Type)] = threshold.Duration.Duration
	}
	return out
}
