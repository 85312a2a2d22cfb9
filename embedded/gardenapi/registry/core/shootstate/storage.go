// Package shootstate stores the states of shoots, which survive their control planes.
package shootstate

import (
	"k8s.io/apimachinery/pkg/runtime"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind ShootState.
func Definition() resource.Definition[*core.ShootState] {
	return resource.Definition[*core.ShootState]{
		GroupVersion: core.SchemeGroupVersion,
		Kind:         "ShootState",
		Plural:       "shootstates",
		Singular:     "shootstate",
		Categories:   []string{"all"},
		New:          func() *core.ShootState { return &core.ShootState{} },
		NewList:      func() runtime.Object { return &core.ShootStateList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*core.ShootState]{
			{Name: "Gardener Data", Description: "number of data sets of Gardener", Type: "integer", Value: func(s *core.ShootState) any { return len(s.Spec.Gardener) }},
			{Name: "Extension States", Description: "number of states of extensions", Type: "integer", Value: func(s *core.ShootState) any { return len(s.Spec.Extensions) }},
		},
	}
}
