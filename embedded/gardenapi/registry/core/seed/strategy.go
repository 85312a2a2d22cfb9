package seed

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/ineffective"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/operation"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// renewals are operations that stay on the Seed until its gardenlet has finished them.
var renewals = []string{
	constants.SeedOperationRenewGardenAccessSecrets, constants.GardenerOperationRenewKubeconfig, constants.SeedOperationRenewWorkloadIdentityTokens,
}

func strategy() resource.Strategy[*core.Seed] {
	return resource.Strategy[*core.Seed]{
		UnconditionalUpdate: true,
		Spec:                resource.Field(func(o *core.Seed) *core.SeedSpec { return &o.Spec }),
		Status:              resource.Field(func(o *core.Seed) *core.SeedStatus { return &o.Status }),
		PrepareCreate:       func(_ context.Context, s *core.Seed) { setLabels(s) },
		PrepareUpdate: func(_ context.Context, s, old *core.Seed) bool {
			setLabels(s)
			renew := slices.Contains(renewals, operation.Of(s)) && operation.Of(s) != operation.Of(old)
			return operation.TakeReconcile(s) || renew
		},
		Validate: validation.ValidateSeed,
		ValidateUpdate: func(s, old *core.Seed) field.ErrorList {
			return append(validation.ValidateSeedUpdate(s, old), validateOperation(s, old)...)
		},
		ValidateStatus: validation.ValidateSeedStatusUpdate,
		Warnings:       ineffective.Seed.Warnings,
	}
}

// validateOperation reports a renewal that would replace an unfinished one.
func validateOperation(s, old *core.Seed) field.ErrorList {
	pending, wanted := operation.Of(old), operation.Of(s)
	if !slices.Contains(renewals, pending) || wanted == "" || wanted == pending {
		return nil
	}
	path := field.NewPath("metadata", "annotations").Key(constants.GardenerOperation)
	return field.ErrorList{field.Forbidden(path, "must not overwrite the pending operation "+pending)}
}

func setLabels(s *core.Seed) {
	labels := s.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[constants.LabelSeedProvider], labels[constants.LabelSeedRegion] = s.Spec.Provider.Type, s.Spec.Provider.Region
	s.SetLabels(labels)
}
