package controllerdeployment

import (
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
	"github.com/gardener-up/gardener-up/embedded/internal/equal"
)

func strategy() resource.Strategy[*core.ControllerDeployment] {
	return resource.Strategy[*core.ControllerDeployment]{
		Spec: resource.Part[*core.ControllerDeployment]{Same: func(d, old *core.ControllerDeployment) bool {
			return d.Type == old.Type && equal.Semantic(&d.ProviderConfig, &old.ProviderConfig) && equal.Semantic(&d.InjectGardenKubeconfig, &old.InjectGardenKubeconfig)
		}},
		Validate:       validation.ValidateControllerDeployment,
		ValidateUpdate: validation.ValidateControllerDeploymentUpdate,
	}
}
