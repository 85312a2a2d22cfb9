package namespacedcloudprofile

import (
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/ineffective"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*core.NamespacedCloudProfile] {
	return resource.Strategy[*core.NamespacedCloudProfile]{
		Namespaced:          true,
		UnconditionalUpdate: true,
		Spec:                resource.Field(func(o *core.NamespacedCloudProfile) *core.NamespacedCloudProfileSpec { return &o.Spec }),
		Status:              resource.Field(func(o *core.NamespacedCloudProfile) *core.NamespacedCloudProfileStatus { return &o.Status }),
		Validate:            validation.ValidateNamespacedCloudProfile,
		ValidateUpdate:      validation.ValidateNamespacedCloudProfileUpdate,
		Warnings:            ineffective.NamespacedCloudProfile.Warnings,
	}
}
