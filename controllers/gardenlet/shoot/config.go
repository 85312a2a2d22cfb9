// Package shoot composes the controllers for the shoots of a seed: one for their lifecycle and one for health checks.
package shoot

import (
	"errors"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/cluster"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/care"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/lifecycle"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/takeover"
	"github.com/gardener-up/gardener-up/providers/ownership"
)

// Config is the configuration of both controllers.
type Config struct {
	// Seed is read without its caches. Its scheme must know the kinds of all objects of a control plane; see embedded/apis/install.
	Seed cluster.Cluster
	// Access says how shoots are reached.
	Access exposure.Access
	// Gardenlet holds what is the same for all shoots of the gardenlet.
	Gardenlet flow.Gardenlet
	// Lifecycle configures the lifecycle controller, Care the health checks.
	Lifecycle lifecycle.Settings
	Care      care.Settings
	// Takeover configures the controller that takes shoots from other seeds, and the one that removes what other seeds have taken.
	Takeover takeover.Settings
	// GardenIdentity and SeedIdentity are the identities of the clusters. If they are empty, they are read when first
	// needed, from the config map cluster-identity in kube-system.
	GardenIdentity, SeedIdentity string
	// Resolver asks for the owners of shoots; nil if operations do not depend on them.
	Resolver ownership.Resolver
	// Clock is for tests. Default: the real one.
	Clock clock.PassiveClock
}

// Images of the system components of shoots.
type Images = flow.Images

func (c Config) withDefaults() Config {
	c.Access, c.Gardenlet, c.Lifecycle, c.Care, c.Takeover = c.Access.WithDefaults(), c.Gardenlet.WithDefaults(), c.Lifecycle.WithDefaults(), c.Care.WithDefaults(), c.Takeover.WithDefaults()
	if c.Clock == nil {
		c.Clock = clock.RealClock{}
	}
	return c
}

func (c Config) validate() error {
	var missing error
	if c.Lifecycle.SeedName == "" {
		missing = errors.New("the name of the seed is empty")
	}
	return errors.Join(missing, c.Access.Validate())
}
