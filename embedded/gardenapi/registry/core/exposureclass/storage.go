// Package exposureclass stores exposure classes.
package exposureclass

import (
	"k8s.io/apimachinery/pkg/runtime"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind ExposureClass.
func Definition() resource.Definition[*core.ExposureClass] {
	return resource.Definition[*core.ExposureClass]{
		GroupVersion: core.SchemeGroupVersion,
		Kind:         "ExposureClass",
		Plural:       "exposureclasses",
		Singular:     "exposureclass",
		ShortNames:   []string{"expclass", "expcls"},
		New:          func() *core.ExposureClass { return &core.ExposureClass{} },
		NewList:      func() runtime.Object { return &core.ExposureClassList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*core.ExposureClass]{
			{Name: "Handler", Description: "handler of the class", Value: func(e *core.ExposureClass) any { return e.Handler }},
		},
	}
}
