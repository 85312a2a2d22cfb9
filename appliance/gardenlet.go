package appliance

import (
	"bytes"
	_ "embed"
	"fmt"
	"text/template"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

//go:embed gardenlet.yaml
var gardenletTemplate string

// gardenletConfiguration is what an operator would give the gardenlet of the first seed, whose nodes are in the range
// given, with the keys of the landscape's configuration over it.
func (a *appliance) gardenletConfiguration(nodes string) (*config.GardenletConfiguration, error) {
	ours, err := a.renderGardenlet(a.identity, nodes)
	if err != nil {
		return nil, err
	}
	merged, err := merge(ours, a.Config.Gardenlet)
	if err != nil {
		return nil, fmt.Errorf("merge configuration of the gardenlet: %w", err)
	}
	return config.Decode(merged)
}

// gardenletConfigurationOf is that of a Seed which is in the garden already. The landscape's keys apply to it, too, but
// those about the first seed alone: its description, where its gardenlet serves, and handlers of exposure classes.
func (a *appliance) gardenletConfigurationOf(seed *gardencorev1beta1.Seed) (*config.GardenletConfiguration, error) {
	c, err := a.gardenletConfiguration(embeddedNodes)
	if err != nil {
		return nil, err
	}
	c.SeedConfig = &config.SeedConfig{SeedTemplate: gardencorev1beta1.SeedTemplate{ObjectMeta: seed.ObjectMeta, Spec: seed.Spec}}
	c.Server.HTTPS, c.Server.HealthProbes, c.Server.Metrics = nil, nil, nil
	c.ExposureClassHandlers = nil // their front doors lead to the first seed
	return c, nil
}

// describeSeed is the Seed of a landscape's seed as it is registered without anything that the configuration adds.
func (a *appliance) describeSeed(seed store.Identity, nodes string) (*config.SeedConfig, error) {
	ours, err := a.renderGardenlet(seed, nodes)
	if err != nil {
		return nil, err
	}
	c, err := config.Decode(ours)
	if err != nil {
		return nil, err
	}
	return c.SeedConfig, nil
}

// renderGardenlet makes the configuration of the gardenlet of one of the landscape's own seeds.
func (a *appliance) renderGardenlet(seed store.Identity, nodes string) ([]byte, error) {
	tmpl, err := template.New("gardenlet.yaml").Option("missingkey=error").Parse(gardenletTemplate)
	if err != nil {
		return nil, fmt.Errorf("parse configuration of the gardenlet: %w", err)
	}
	var text bytes.Buffer
	if err := tmpl.Execute(&text, struct {
		store.Identity
		Nodes, LogLevel string
		HealthPort      int32
	}{seed, nodes, a.Config.Log.Level, a.ports["gardenlet"]}); err != nil {
		return nil, fmt.Errorf("render configuration of the gardenlet: %w", err)
	}
	return text.Bytes(), nil
}

// merge lays the user's keys over ours: mappings are merged, everything else is replaced, null removes.
func merge(ours, users []byte) ([]byte, error) {
	if len(users) == 0 {
		return ours, nil
	}
	document, err := yaml.YAMLToJSON(ours)
	if err != nil {
		return nil, err
	}
	return jsonpatch.MergePatch(document, users)
}

// gardenletIdentity of a seed's gardenlet appears in the status of Seeds and Shoots.
func (a *appliance) gardenletIdentity(seed string) gardencorev1beta1.Gardener {
	return gardencorev1beta1.Gardener{ID: a.identity.ID, Name: "gardenlet-" + seed, Version: a.Version}
}
