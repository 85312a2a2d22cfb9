package managedseedset

import (
	"context"

	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/seedmanagement"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/operation"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*seedmanagement.ManagedSeedSet] {
	return resource.Strategy[*seedmanagement.ManagedSeedSet]{
		Namespaced:     true,
		Spec:           resource.Field(func(o *seedmanagement.ManagedSeedSet) *seedmanagement.ManagedSeedSetSpec { return &o.Spec }),
		Status:         resource.Field(func(o *seedmanagement.ManagedSeedSet) *seedmanagement.ManagedSeedSetStatus { return &o.Status }),
		PrepareUpdate:  func(_ context.Context, m, _ *seedmanagement.ManagedSeedSet) bool { return operation.TakeReconcile(m) },
		Validate:       validation.ValidateManagedSeedSet,
		ValidateUpdate: validation.ValidateManagedSeedSetUpdate,
		ValidateStatus: validation.ValidateManagedSeedSetStatusUpdate,
	}
}
