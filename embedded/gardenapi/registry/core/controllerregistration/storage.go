// Package controllerregistration stores registrations of extension controllers.
package controllerregistration

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind ControllerRegistration.
func Definition() resource.Definition[*core.ControllerRegistration] {
	return resource.Definition[*core.ControllerRegistration]{
		GroupVersion: core.SchemeGroupVersion,
		Kind:         "ControllerRegistration",
		Plural:       "controllerregistrations",
		Singular:     "controllerregistration",
		ShortNames:   []string{"ctrlreg"},
		Categories:   []string{"all"},
		New:          func() *core.ControllerRegistration { return &core.ControllerRegistration{} },
		NewList:      func() runtime.Object { return &core.ControllerRegistrationList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*core.ControllerRegistration]{
			{Name: "Resources", Description: "kinds and types it is responsible for", Value: func(r *core.ControllerRegistration) any { return resources(r) }},
		},
	}
}

func resources(r *core.ControllerRegistration) string {
	var names []string
	for _, resource := range r.Spec.Resources {
		names = append(names, resource.Kind+"/"+resource.Type)
	}
	return strings.Join(names, ", ")
}
