package shootstate

import (
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*core.ShootState] {
	return resource.Strategy[*core.ShootState]{
		Namespaced:      true,
		CarriesAnything: true, // only extensions know their state
		Spec:            resource.Field(func(o *core.ShootState) *core.ShootStateSpec { return &o.Spec }),
		Validate:        validation.ValidateShootState,
		ValidateUpdate:  validation.ValidateShootStateUpdate,
	}
}
