// Package clusteropenidconnectpreset stores OpenID Connect settings for new shoots of many projects.
package clusteropenidconnectpreset

import (
	"k8s.io/apimachinery/pkg/runtime"

	settings "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/cells"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind ClusterOpenIDConnectPreset.
func Definition() resource.Definition[*settings.ClusterOpenIDConnectPreset] {
	return resource.Definition[*settings.ClusterOpenIDConnectPreset]{
		GroupVersion: settings.SchemeGroupVersion,
		Kind:         "ClusterOpenIDConnectPreset",
		Plural:       "clusteropenidconnectpresets",
		Singular:     "clusteropenidconnectpreset",
		ShortNames:   []string{"coidcps"},
		Categories:   []string{"all"},
		New:          func() *settings.ClusterOpenIDConnectPreset { return &settings.ClusterOpenIDConnectPreset{} },
		NewList:      func() runtime.Object { return &settings.ClusterOpenIDConnectPresetList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*settings.ClusterOpenIDConnectPreset]{
			{Name: "Issuer", Description: "issuer of tokens", Value: func(p *settings.ClusterOpenIDConnectPreset) any { return p.Spec.Server.IssuerURL }},
			{Name: "Project-Selector", Description: "projects whose shoots get the preset", Empty: cells.None, Value: func(p *settings.ClusterOpenIDConnectPreset) any { return cells.Selector(p.Spec.ProjectSelector) }},
			{Name: "Shoot-Selector", Description: "shoots that get the preset", Empty: cells.None, Value: func(p *settings.ClusterOpenIDConnectPreset) any { return cells.Selector(p.Spec.ShootSelector) }},
		},
	}
}
