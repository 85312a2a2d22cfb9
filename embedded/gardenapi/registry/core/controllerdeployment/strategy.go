package controllerdeployment

import (
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*core.ControllerDeployment] {
	return resource.Strategy[*core.ControllerDeployment]{
		Spec: resource.Part[*core.ControllerDeployment]{Of: func(d *core.ControllerDeployment) any {
			return []any{d.Type, d.ProviderConfig, d.InjectGardenKubeconfig}
		}},
		Validate:       validation.ValidateControllerDeployment,
		ValidateUpdate: validation.ValidateControllerDeploymentUpdate,
	}
}
