package appliance

import (
	"bytes"
	_ "embed"
	"fmt"
	"text/template"

	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

//go:embed gardenlet.yaml
var gardenletTemplate string

// gardenletConfiguration is what an operator would give the gardenlet of a seed whose nodes are in the range given.
func (a *appliance) gardenletConfiguration(nodes string) (*config.GardenletConfiguration, error) {
	tmpl, err := template.New("gardenlet.yaml").Option("missingkey=error").Parse(gardenletTemplate)
	if err != nil {
		return nil, fmt.Errorf("parse configuration of the gardenlet: %w", err)
	}
	var text bytes.Buffer
	if err := tmpl.Execute(&text, struct {
		store.Identity
		Nodes string
	}{a.identity, nodes}); err != nil {
		return nil, fmt.Errorf("render configuration of the gardenlet: %w", err)
	}
	return config.Decode(text.Bytes())
}

// gardenletIdentity appears in the status of Seeds and Shoots.
func (a *appliance) gardenletIdentity() gardencorev1beta1.Gardener {
	return gardencorev1beta1.Gardener{ID: a.identity.ID, Name: "gardenlet-" + a.Config.Seed.Name, Version: a.Version}
}
