package managedseed

import (
	"context"

	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
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
			renew := operation.Of(m) == renewKubeconfig && operation.Of(old) != renewKubeconfig
			return operation.TakeReconcile(m) || renew
		},
	}
}

// renewKubeconfig stays until it is done.
const renewKubeconfig = "renew-kubeconfig"
