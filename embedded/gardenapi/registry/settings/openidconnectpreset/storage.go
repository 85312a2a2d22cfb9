// Package openidconnectpreset stores OpenID Connect settings for new shoots of a project.
package openidconnectpreset

import (
	"k8s.io/apimachinery/pkg/runtime"

	settings "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/cells"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind OpenIDConnectPreset.
func Definition() resource.Definition[*settings.OpenIDConnectPreset] {
	return resource.Definition[*settings.OpenIDConnectPreset]{
		GroupVersion: settings.SchemeGroupVersion,
		Kind:         "OpenIDConnectPreset",
		Plural:       "openidconnectpresets",
		Singular:     "openidconnectpreset",
		ShortNames:   []string{"oidcps"},
		Categories:   []string{"all"},
		New:          func() *settings.OpenIDConnectPreset { return &settings.OpenIDConnectPreset{} },
		NewList:      func() runtime.Object { return &settings.OpenIDConnectPresetList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*settings.OpenIDConnectPreset]{
			{Name: "Issuer", Description: "issuer of tokens", Value: func(p *settings.OpenIDConnectPreset) any { return p.Spec.Server.IssuerURL }},
			{Name: "Shoot-Selector", Description: "shoots that get the preset", Empty: cells.None, Value: func(p *settings.OpenIDConnectPreset) any { return cells.Selector(p.Spec.ShootSelector) }},
		},
	}
}
