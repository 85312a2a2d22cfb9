package managedseed

import (
	"context"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/seedmanagement"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/operation"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/seedlabels"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*seedmanagement.ManagedSeed] {
	return resource.Strategy[*seedmanagement.ManagedSeed]{
		Namespaced:    true,
		Spec:          resource.Field(func(o *seedmanagement.ManagedSeed) *seedmanagement.ManagedSeedSpec { return &o.Spec }),
		Status:        resource.Field(func(o *seedmanagement.ManagedSeed) *seedmanagement.ManagedSeedStatus { return &o.Status }),
		PrepareCreate: func(_ context.Context, m *seedmanagement.ManagedSeed) { seedlabels.Set(m, &m.Name) },
		PrepareUpdate: func(_ context.Context, m, old *seedmanagement.ManagedSeed) bool {
			seedlabels.Set(m, &m.Name)
			renew := operation.Of(m) == constants.GardenerOperationRenewKubeconfig && operation.Of(old) != constants.GardenerOperationRenewKubeconfig
			return operation.TakeReconcile(m) || renew
		},
		Validate:       validation.ValidateManagedSeed,
		ValidateUpdate: validation.ValidateManagedSeedUpdate,
	}
}
