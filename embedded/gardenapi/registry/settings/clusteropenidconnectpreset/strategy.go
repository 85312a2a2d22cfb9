package clusteropenidconnectpreset

import (
	settings "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/settings"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*settings.ClusterOpenIDConnectPreset] {
	return resource.Strategy[*settings.ClusterOpenIDConnectPreset]{
		Spec:           resource.Field(func(o *settings.ClusterOpenIDConnectPreset) *settings.ClusterOpenIDConnectPresetSpec { return &o.Spec }),
		Validate:       validation.ValidateClusterOpenIDConnectPreset,
		ValidateUpdate: validation.ValidateClusterOpenIDConnectPresetUpdate,
	}
}
