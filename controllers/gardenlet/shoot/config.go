// Package shoot composes what the gardenlet does for the shoots of its seed: it drives their lifecycle and looks after those
// that run.
package shoot

import (
	"errors"

	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/care"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/lifecycle"
)

// Config says for whom and how.
type Config struct {
	// Access is how shoots are reached.
	Access exposure.Access
	// Lifecycle says how shoots are driven, Care how they are looked after.
	Lifecycle lifecycle.Settings
	Care      care.Settings
	// GardenIdentity and SeedIdentity are the identities of the clusters. When empty they are read at the first need from
	// the config map cluster-identity in kube-system.
	GardenIdentity, SeedIdentity string
	// Clock is for tests. Default: the real one.
	Clock clock.PassiveClock
}

// Images are those of system components of shoots.
type Images = flow.Images

func (c Config) withDefaults() Config {
	c.Access, c.Lifecycle, c.Care = c.Access.WithDefaults(), c.Lifecycle.WithDefaults(), c.Care.WithDefaults()
	if c.Clock == nil {
		c.Clock = clock.RealClock{}
	}
	return c
}

func (c Config) validate() error {
	var missing error
	if c.Lifecycle.SeedName == "" {
		missing = errors.New("the name of the seed is missing")
	}
	return errors.Join(missing, c.Access.Validate())
}
