package secretbinding

import (
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*core.SecretBinding] {
	return resource.Strategy[*core.SecretBinding]{
		Namespaced:          true,
		UnconditionalUpdate: true,
		Validate:            validation.ValidateSecretBinding,
		ValidateUpdate:      validation.ValidateSecretBindingUpdate,
	}
}
