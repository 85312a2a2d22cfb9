package appliance

import (
	"crypto/ed25519"

	"github.com/gardener-up/gardener-up/appliance/bundle"
	"github.com/gardener-up/gardener-up/appliance/bundle/load"
	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/embedded/imagestore"
	"github.com/gardener-up/gardener-up/embedded/sandbox/layout"
)

// bundlePart is the part that loads the bundle of the configuration, if that names one. Nodes start after the parts that it names, since a container
// whose image is missing may be simulated.
func (l *landscape) bundlePart() (parts []component.Part, beforeNodes []string) {
	settings := l.Config.Bundle
	if settings.File == "" {
		return nil, nil
	}
	log := l.Log.WithName(load.PartName)
	return []component.Part{load.Part(load.Inputs{
		File: settings.File, Note: l.Shared.Bundle(),
		Key: func() (ed25519.PublicKey, error) {
			if settings.KeyFile == "" {
				return nil, nil
			}
			return bundle.ReadPublicKey(settings.KeyFile)
		},
		Open: func(key ed25519.PublicKey) (*bundle.Bundle, error) {
			opened, err := bundle.Open(settings.File, key)
			return opened, fault.New(fault.Bundle, err)
		},
		Store: func() (*imagestore.Store, error) {
			return imagestore.Open(layout.Dir(l.Shared.Sandboxes()).Images())
		},
		Gone: func(err error) {
			log.Info("The bundle is gone, but all its images were loaded before", "bundle", settings.File, "reason", err.Error())
		},
		Tell: func(name string) { log.Info("Image is loaded", "image", name, "bundle", settings.File) },
	})}, []string{load.PartName}
}
