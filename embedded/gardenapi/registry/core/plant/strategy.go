package plant

import (
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*core.Plant] {
	return resource.Strategy[*core.Plant]{
		Namespaced:     true,
		Spec:           resource.Field(func(o *core.Plant) *core.PlantSpec { return &o.Spec }),
		Status:         resource.Field(func(o *core.Plant) *core.PlantStatus { return &o.Status }),
		Validate:       validation.ValidatePlant,
		ValidateUpdate: validation.ValidatePlantUpdate,
		ValidateStatus: validation.ValidatePlantStatusUpdate,
	}
}
