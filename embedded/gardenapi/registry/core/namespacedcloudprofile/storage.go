// Package namespacedcloudprofile stores the cloud profiles of projects.
package namespacedcloudprofile

import (
	"k8s.io/apimachinery/pkg/runtime"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind NamespacedCloudProfile.
func Definition() resource.Definition[*core.NamespacedCloudProfile] {
	return resource.Definition[*core.NamespacedCloudProfile]{
		GroupVersion: core.SchemeGroupVersion,
		Kind:         "NamespacedCloudProfile",
		Plural:       "namespacedcloudprofiles",
		Singular:     "namespacedcloudprofile",
		ShortNames:   []string{"nscpfl", "nsprofile"},
		New:          func() *core.NamespacedCloudProfile { return &core.NamespacedCloudProfile{} },
		NewList:      func() runtime.Object { return &core.NamespacedCloudProfileList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*core.NamespacedCloudProfile]{
			{Name: "Parent Name", Description: "profile it derives from", Value: func(c *core.NamespacedCloudProfile) any { return c.Spec.Parent.Name }},
			{Name: "Parent Kind", Description: "kind of that profile", Value: func(c *core.NamespacedCloudProfile) any { return c.Spec.Parent.Kind }},
		},
		Fields: map[string]func(*core.NamespacedCloudProfile) string{
			"spec.parent.name": func(c *core.NamespacedCloudProfile) string { return c.Spec.Parent.Name },
		},
	}
}
