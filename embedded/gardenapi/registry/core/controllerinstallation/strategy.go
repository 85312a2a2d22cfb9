package controllerinstallation

import (
	"context"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/operation"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/seedlabels"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*core.ControllerInstallation] {
	return resource.Strategy[*core.ControllerInstallation]{
		Spec:          resource.Field(func(o *core.ControllerInstallation) *core.ControllerInstallationSpec { return &o.Spec }),
		Status:        resource.Field(func(o *core.ControllerInstallation) *core.ControllerInstallationStatus { return &o.Status }),
		PrepareCreate: func(_ context.Context, i *core.ControllerInstallation) { setLabels(i) },
		PrepareUpdate: func(_ context.Context, i, _ *core.ControllerInstallation) bool {
			setLabels(i)
			return operation.TakeReconcile(i)
		},
		Validate:       validation.ValidateControllerInstallation,
		ValidateUpdate: validation.ValidateControllerInstallationUpdate,
	}
}

func setLabels(i *core.ControllerInstallation) {
	seed := reference(i.Spec.SeedRef).Name
	seedlabels.Set(i, &seed)
}
