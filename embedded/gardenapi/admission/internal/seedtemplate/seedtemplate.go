// Package seedtemplate reads and writes the template of the Seed in a ManagedSeed, in the old and the new form.
package seedtemplate

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

const (
	apiVersion = "gardenlet.config.gardener.cloud/v1alpha1"
	kind       = "GardenletConfiguration"
	seedConfig = "seedConfig"
)

// Of returns a copy of the template; nil if there is none. In the configuration of a gardenlet the template is seedConfig.
func Of(seed *seedmanagement.ManagedSeed) (*core.SeedTemplate, error) {
	if seed.Spec.SeedTemplate != nil {
		return seed.Spec.SeedTemplate.DeepCopy(), nil
	}
	config, err := configuration(seed)
	if err != nil || config == nil || config[seedConfig] == nil {
		return nil, err
	}
	template := &core.SeedTemplate{}
	if err := json.Unmarshal(config[seedConfig], template); err != nil {
		return nil, fmt.Errorf("decode %s: %w", seedConfig, err)
	}
	return template, nil
}

// Set replaces the template. All other keys in the configuration of the gardenlet stay as they are, and so do keys of seedConfig
// that are no fields of the template.
func Set(seed *seedmanagement.ManagedSeed, template *core.SeedTemplate) error {
	if seed.Spec.SeedTemplate != nil {
		seed.Spec.SeedTemplate = template
		return nil
	}
	config, err := configuration(seed)
	if err != nil {
		return err
	}
	if config == nil {
		config = map[string]json.RawMessage{"apiVersion": quoted(apiVersion), "kind": quoted(kind)}
	}
	merged, err := merge(config[seedConfig], template)
	if err != nil {
		return err
	}
	config[seedConfig] = merged
	raw, err := json.Marshal(config)
	if err != nil {
		return fmt.Errorf("encode the configuration of the gardenlet: %w", err)
	}
	if seed.Spec.Gardenlet == nil {
		seed.Spec.Gardenlet = &seedmanagement.GardenletConfig{}
	}
	seed.Spec.Gardenlet.Config = &runtime.RawExtension{Raw: raw}
	return nil
}

// configuration is that of the gardenlet by its top-level fields; nil if there is none.
func configuration(seed *seedmanagement.ManagedSeed) (map[string]json.RawMessage, error) {
	if seed.Spec.Gardenlet == nil || seed.Spec.Gardenlet.Config == nil || len(seed.Spec.Gardenlet.Config.Raw) == 0 {
		return nil, nil
	}
	var config map[string]json.RawMessage
	if err := json.Unmarshal(seed.Spec.Gardenlet.Config.Raw, &config); err != nil {
		return nil, fmt.Errorf("decode the configuration of the gardenlet: %w", err)
	}
	for name, want := range map[string]string{"apiVersion": apiVersion, "kind": kind} {
		var got string
		if config[name] != nil && json.Unmarshal(config[name], &got) != nil || got != want {
			return nil, fmt.Errorf("the configuration of the gardenlet must have %s %s, not %q", name, want, got)
		}
	}
	return config, nil
}

// merge puts metadata and spec of the template over those in raw.
func merge(raw json.RawMessage, template *core.SeedTemplate) (json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	if raw != nil {
		if err := json.Unmarshal(raw, &out); err != nil {
			return nil, fmt.Errorf("decode %s: %w", seedConfig, err)
		}
	}
	text, err := json.Marshal(template)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", seedConfig, err)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, fmt.Errorf("decode %s: %w", seedConfig, err)
	}
	return json.Marshal(out)
}

func quoted(text string) json.RawMessage { return json.RawMessage(`"` + text + `"`) }
