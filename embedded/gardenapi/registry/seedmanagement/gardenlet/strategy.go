package gardenlet

import (
	"context"
	"slices"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/seedmanagement"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/operation"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// keptOperations are operations that stay until they are done.
var keptOperations = []string{constants.GardenerOperationRenewKubeconfig, constants.GardenletOperationForceRedeploy}

func strategy() resource.Strategy[*seedmanagement.Gardenlet] {
	return resource.Strategy[*seedmanagement.Gardenlet]{
		Namespaced: true,
		Spec:       resource.Field(func(o *seedmanagement.Gardenlet) *seedmanagement.GardenletSpec { return &o.Spec }),
		Status:     resource.Field(func(o *seedmanagement.Gardenlet) *seedmanagement.GardenletStatus { return &o.Status }),
		PrepareUpdate: func(_ context.Context, g, old *seedmanagement.Gardenlet) bool {
			kept := slices.Contains(keptOperations, operation.Of(g)) && operation.Of(g) != operation.Of(old)
			return operation.TakeReconcile(g) || kept
		},
		Validate:       validation.ValidateGardenlet,
		ValidateUpdate: validation.ValidateGardenletUpdate,
	}
}
