package cloudprofile

import (
	"context"
	"slices"
	"time"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/ineffective"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*core.CloudProfile] {
	return resource.Strategy[*core.CloudProfile]{
		UnconditionalUpdate: true,
		Spec:                resource.Field(func(o *core.CloudProfile) *core.CloudProfileSpec { return &o.Spec }),
		Status:              resource.Field(func(o *core.CloudProfile) *core.CloudProfileStatus { return &o.Status }),
		PrepareCreate:       func(_ context.Context, c *core.CloudProfile) { dropExpired(&c.Spec, time.Now()) },
		Validate:            validation.ValidateCloudProfile,
		ValidateUpdate:      validation.ValidateCloudProfileUpdate,
		Warnings:            ineffective.CloudProfile.Warnings,
	}
}

// dropExpired removes expired versions from a new profile, because no cluster can use them. A later update may add them,
// for clusters that still have such a version.
func dropExpired(spec *core.CloudProfileSpec, now time.Time) {
	expired := func(version core.ExpirableVersion) bool {
		return version.ExpirationDate != nil && !now.Before(version.ExpirationDate.Time)
	}
	spec.Kubernetes.Versions = slices.DeleteFunc(spec.Kubernetes.Versions, expired)
	for i := range spec.MachineImages {
		image := &spec.MachineImages[i]
		image.Versions = slices.DeleteFunc(image.Versions, func(v core.MachineImageVersion) bool { return expired(v.ExpirableVersion) })
	}
}
