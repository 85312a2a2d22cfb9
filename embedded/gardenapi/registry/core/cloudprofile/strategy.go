package cloudprofile

import (
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*core.CloudProfile] {
	return resource.Strategy[*core.CloudProfile]{
		UnconditionalUpdate: true,
		Spec:                resource.Field(func(o *core.CloudProfile) *core.CloudProfileSpec { return &o.Spec }),
		Status:              resource.Field(func(o *core.CloudProfile) *core.CloudProfileStatus { return &o.Status }),
		Validate:            validation.ValidateCloudProfile,
		ValidateUpdate:      validation.ValidateCloudProfileUpdate,
	}
}
