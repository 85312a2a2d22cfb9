package project

import (
	"context"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/ineffective"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*core.Project] {
	return resource.Strategy[*core.Project]{
		UnconditionalUpdate: true,
		Spec:                resource.Field(func(o *core.Project) *core.ProjectSpec { return &o.Spec }),
		Status:              resource.Field(func(o *core.Project) *core.ProjectStatus { return &o.Status }),
		PrepareCreate:       func(_ context.Context, p *core.Project) { helper.CanonicalizeMembers(&p.Spec) },
		PrepareUpdate: func(_ context.Context, p, _ *core.Project) bool {
			helper.CanonicalizeMembers(&p.Spec)
			return false
		},
		Validate:       validation.ValidateProject,
		ValidateUpdate: validation.ValidateProjectUpdate,
		ValidateStatus: validation.ValidateProjectStatusUpdate,
		Warnings:       ineffective.Project.Warnings,
	}
}
