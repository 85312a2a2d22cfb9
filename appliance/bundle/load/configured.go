package load

import (
	"crypto/ed25519"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/bundle"
	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/embedded/imagestore"
	"github.com/gardener-up/gardener-up/embedded/sandbox/layout"
)

// Parts are the part that loads the bundle of a configuration, if that names one. Nodes start after the parts that it names, since a container
// whose image is missing may be simulated.
func Parts(settings config.Bundle, shared paths.Shared, log logr.Logger) (parts []component.Part, beforeNodes []string) {
	if settings.File == "" {
		return nil, nil
	}
	log = log.WithName(PartName)
	return []component.Part{Part(Inputs{
		File: settings.File, Note: shared.Bundle(),
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
			return imagestore.Open(layout.Dir(shared.Sandboxes()).Images())
		},
		Gone: func(err error) {
			log.Info("The bundle is gone, but all its images were loaded before", "bundle", settings.File, "reason", err.Error())
		},
		Tell: func(name string) { log.Info("Image is loaded", "image", name, "bundle", settings.File) },
	})}, []string{PartName}
}
