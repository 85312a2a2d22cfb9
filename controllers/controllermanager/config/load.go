package config

import (
	"fmt"
	"os"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
	"github.com/gardener-up/gardener-up/controllers/internal/effect"
)

// Load reads a file as Decode does.
func Load(path string) (*ControllerManagerConfiguration, error) {
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
	cfg.withoutEffect = append(effect.Keys(*cfg, *Default(), effect.None), cfg.gatesWithoutEffect()...)
	cfg.ofProcess = effect.Keys(*cfg, *Default(), effect.Process)
	SetDefaults(cfg)
	return cfg, Validate(cfg)
}

// WithoutEffect lists the keys that the decoded file sets although nothing here acts on them. Keys are in the order in which the
// type declares them.
func (c *ControllerManagerConfiguration) WithoutEffect() []string { return c.withoutEffect }

// OfProcess lists the keys that the decoded file sets although they have no effect in a landscape. The landscape's process has its
// own access to the garden and runs these controllers once.
func (c *ControllerManagerConfiguration) OfProcess() []string { return c.ofProcess }
