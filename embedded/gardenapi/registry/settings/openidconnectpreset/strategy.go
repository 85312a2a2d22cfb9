package openidconnectpreset

import (
	settings "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/settings"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*settings.OpenIDConnectPreset] {
	return resource.Strategy[*settings.OpenIDConnectPreset]{
		Namespaced:     true,
		Spec:           resource.Field(func(o *settings.OpenIDConnectPreset) *settings.OpenIDConnectPresetSpec { return &o.Spec }),
		Validate:       validation.ValidateOpenIDConnectPreset,
		ValidateUpdate: validation.ValidateOpenIDConnectPresetUpdate,
	}
}
