package controllerregistration

import (
	"context"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*core.ControllerRegistration] {
	return resource.Strategy[*core.ControllerRegistration]{
		Spec:          resource.Field(func(o *core.ControllerRegistration) *core.ControllerRegistrationSpec { return &o.Spec }),
		PrepareCreate: func(_ context.Context, r *core.ControllerRegistration) { refer(r) },
		PrepareUpdate: func(_ context.Context, r, _ *core.ControllerRegistration) bool {
			refer(r)
			return false
		},
		Validate:       validation.ValidateControllerRegistration,
		ValidateUpdate: validation.ValidateControllerRegistrationUpdate,
	}
}
