package shootvalidator

import (
	"context"
	"time"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/profiles"
)

// Completed returns a copy of the shoot with the version and the machine images that Admit will choose for it. Fields for which
// there is no choice stay empty; Admit refuses them. It is for plugins that run before this one.
func Completed(ctx context.Context, objects initializer.Objects, shoot, old *core.Shoot, now time.Time) *core.Shoot {
	profile, err := profiles.Of(ctx, objects, &shoot.Spec, shoot.Namespace)
	if err != nil {
		return shoot
	}
	c := &check{profile: profile, shoot: shoot.DeepCopy(), old: old, now: now}
	c.kubernetes(nil)
	for i := range c.shoot.Spec.Provider.Workers {
		c.pool(&c.shoot.Spec.Provider.Workers[i]).image(nil)
	}
	return c.shoot
}
