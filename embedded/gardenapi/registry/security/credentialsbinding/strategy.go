package credentialsbinding

import (
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/security"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*security.CredentialsBinding] {
	return resource.Strategy[*security.CredentialsBinding]{
		Namespaced:     true,
		Validate:       validation.ValidateCredentialsBinding,
		ValidateUpdate: validation.ValidateCredentialsBindingUpdate,
	}
}
