package quota

import (
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*core.Quota] {
	return resource.Strategy[*core.Quota]{
		Namespaced:          true,
		UnconditionalUpdate: true,
		Spec:                resource.Field(func(o *core.Quota) *core.QuotaSpec { return &o.Spec }),
		Validate:            validation.ValidateQuota,
		ValidateUpdate:      validation.ValidateQuotaUpdate,
	}
}
