// Package placement finds the shoots of a seed. It is for admission plugins.
package placement

import (
	"context"
	"fmt"

	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

// ShootOn returns the current state of a shoot that is assigned to a seed, or that is still there while it moves to another one; nil
// if there is none.
func ShootOn(ctx context.Context, objects initializer.Objects, seed string) (*core.Shoot, error) {
	shoot, err := initializer.First(ctx, objects, core.Resource("shoots"), "", func(shoot *core.Shoot) bool {
		return ptr.Deref(shoot.Spec.SeedName, "") == seed || ptr.Deref(shoot.Status.SeedName, "") == seed
	})
	if err != nil {
		return nil, fmt.Errorf("look for shoots on seed %q: %w", seed, err)
	}
	return shoot, nil
}
