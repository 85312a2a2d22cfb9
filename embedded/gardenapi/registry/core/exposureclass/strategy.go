package exposureclass

import (
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*core.ExposureClass] {
	return resource.Strategy[*core.ExposureClass]{
		Spec:           resource.Part[*core.ExposureClass]{Of: func(e *core.ExposureClass) any { return []any{e.Handler, e.Scheduling} }},
		Validate:       validation.ValidateExposureClass,
		ValidateUpdate: validation.ValidateExposureClassUpdate,
	}
}
