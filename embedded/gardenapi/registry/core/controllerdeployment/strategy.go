package controllerdeployment

import (
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*core.ControllerDeployment] {
	return resource.Strategy[*core.ControllerDeployment]{
		Spec: resource.Part[*core.ControllerDeployment]{Same: func(d, old *core.ControllerDeployment) bool {
			return d.Type == old.Type && apiequality.Semantic.DeepEqual(d.ProviderConfig, old.ProviderConfig) && apiequality.Semantic.DeepEqual(d.InjectGardenKubeconfig, old.InjectGardenKubeconfig)
		}},
		Validate:       validation.ValidateControllerDeployment,
		ValidateUpdate: validation.ValidateControllerDeploymentUpdate,
	}
}
