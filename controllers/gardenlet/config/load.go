package config

import (
	"fmt"
	"os"
	"slices"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
	"github.com/gardener-up/gardener-up/controllers/internal/effect"
)

// Load reads, defaults and validates the configuration file. The error lists all mistakes.
func Load(path string) (*GardenletConfiguration, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration of the gardenlet: %w", err)
	}
	cfg, err := Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("configuration of the gardenlet %s: %w", path, err)
	}
	return cfg, nil
}

// Decode is Load for content in memory. Unknown and duplicate keys are mistakes.
func Decode(raw []byte) (*GardenletConfiguration, error) {
	cfg, err := Parse(raw)
	if err != nil {
		return nil, err
	}
	if cfg.APIVersion != APIVersion || cfg.Kind != Kind {
		return nil, fmt.Errorf("apiVersion and kind are %q and %q instead of %q and %q", cfg.APIVersion, cfg.Kind, APIVersion, Kind)
	}
	SetDefaults(cfg)
	return cfg, Validate(cfg)
}

// defaults is the configuration of an empty file.
func defaults() *GardenletConfiguration {
	cfg := &GardenletConfiguration{}
	SetDefaults(cfg)
	return cfg
}

// Parse decodes without defaults and validation, except that every key must be known. It is for parts of a
// configuration.
func Parse(raw []byte) (*GardenletConfiguration, error) {
	cfg := &GardenletConfiguration{}
	if err := componentconfig.Decode(raw, cfg); err != nil {
		return nil, err
	}
	cfg.ofProcess = effect.Keys(*cfg, *defaults(), effect.Process)
	cfg.withoutEffect = slices.Concat(effect.Keys(*cfg, *defaults(), effect.None), cfg.sniWithoutEffect(), cfg.gatesWithoutEffect())
	return cfg, nil
}
