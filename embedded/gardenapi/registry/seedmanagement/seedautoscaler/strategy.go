package seedautoscaler

import (
	"context"

	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/seedmanagement"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*seedmanagement.SeedAutoscaler] {
	return resource.Strategy[*seedmanagement.SeedAutoscaler]{
		Namespaced:     true,
		Spec:           resource.Field(func(o *seedmanagement.SeedAutoscaler) *seedmanagement.SeedAutoscalerSpec { return &o.Spec }),
		Status:         resource.Field(func(o *seedmanagement.SeedAutoscaler) *seedmanagement.SeedAutoscalerStatus { return &o.Status }),
		Validate:       validation.ValidateSeedAutoscaler,
		ValidateUpdate: validation.ValidateSeedAutoscalerUpdate,
		ValidateStatus: validation.ValidateSeedAutoscalerStatusUpdate,
		Warnings:       warnings,
	}
}

// warnings warns the creator of a SeedAutoscaler that no controller acts on it.
func warnings(_ context.Context, _, old *seedmanagement.SeedAutoscaler) []string {
	if old != nil {
		return nil
	}
	return []string{"SeedAutoscaler is stored, but has no effect in this landscape"}
}
