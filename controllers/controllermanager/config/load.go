package config

import (
	"errors"
	"fmt"

	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/internal/effect"
)

// Decode reads, defaults and validates a configuration. The error lists all mistakes, including unknown and duplicate
// keys. apiVersion and kind may be left out.
func Decode(raw []byte) (*ControllerManagerConfiguration, error) {
	document, err := yaml.YAMLToJSONStrict(raw)
	if err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	cfg := &ControllerManagerConfiguration{}
	unknown, err := kjson.UnmarshalStrict(document, cfg)
	if err = errors.Join(append(unknown, err)...); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	if cfg.APIVersion != "" && cfg.APIVersion != APIVersion || cfg.Kind != "" && cfg.Kind != Kind {
		return nil, fmt.Errorf("apiVersion and kind are %q and %q instead of %q and %q", cfg.APIVersion, cfg.Kind, APIVersion, Kind)
	}
	cfg.withoutEffect = effect.Keys(*cfg, *Default(), effect.None)
	SetDefaults(cfg)
	return cfg, Validate(cfg)
}

// WithoutEffect lists the keys that the decoded file sets although nothing here acts on them, in the order of the kind.
func (c *ControllerManagerConfiguration) WithoutEffect() []string { return c.withoutEffect }
