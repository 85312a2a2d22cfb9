// Package cloudprofile stores cloud profiles.
package cloudprofile

import (
	"k8s.io/apimachinery/pkg/runtime"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind CloudProfile.
func Definition() resource.Definition[*core.CloudProfile] {
	return resource.Definition[*core.CloudProfile]{
		GroupVersion: core.SchemeGroupVersion,
		Kind:         "CloudProfile",
		Plural:       "cloudprofiles",
		Singular:     "cloudprofile",
		ShortNames:   []string{"cprofile", "cpfl"},
		New:          func() *core.CloudProfile { return &core.CloudProfile{} },
		NewList:      func() runtime.Object { return &core.CloudProfileList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*core.CloudProfile]{
			{Name: "Provider", Description: "type of the provider", Value: func(c *core.CloudProfile) any { return c.Spec.Type }},
		},
	}
}
