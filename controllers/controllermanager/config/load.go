package config

import (
	"fmt"
	"slices"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
	"github.com/gardener-up/gardener-up/controllers/internal/effect"
)

// Decode reads, defaults and validates a configuration. The error lists all mistakes, including unknown and duplicate
// keys. apiVersion and kind may be left out.
func Decode(raw []byte) (*ControllerManagerConfiguration, error) {
	cfg := &ControllerManagerConfiguration{}
	if err := componentconfig.Decode(raw, cfg); err != nil {
		return nil, err
	}
	if cfg.APIVersion != "" && cfg.APIVersion != APIVersion || cfg.Kind != "" && cfg.Kind != Kind {
		return nil, fmt.Errorf("apiVersion and kind are %q and %q instead of %q and %q", cfg.APIVersion, cfg.Kind, APIVersion, Kind)
	}
	cfg.withoutEffect = slices.Concat(effect.Keys(*cfg, *Default(), effect.None), effect.Keys(*cfg, *Default(), effect.Process), cfg.gatesWithoutEffect())
	SetDefaults(cfg)
	return cfg, Validate(cfg)
}

// WithoutEffect lists the keys that the decoded file sets although nothing here acts on them. Keys are in the order in which the
// type declares them.
func (c *ControllerManagerConfiguration) WithoutEffect() []string { return c.withoutEffect }
