package exposureclass

import (
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*core.ExposureClass] {
	return resource.Strategy[*core.ExposureClass]{
		Spec: resource.Part[*core.ExposureClass]{Same: func(e, old *core.ExposureClass) bool {
			return e.Handler == old.Handler && apiequality.Semantic.DeepEqual(e.Scheduling, old.Scheduling)
		}},
		Validate:       validation.ValidateExposureClass,
		ValidateUpdate: validation.ValidateExposureClassUpdate,
	}
}
