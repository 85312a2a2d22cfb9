// Package managedseed stores shoots that become seeds.
package managedseed

import (
	"k8s.io/apimachinery/pkg/runtime"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/cells"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind ManagedSeed.
func Definition() resource.Definition[*seedmanagement.ManagedSeed] {
	return resource.Definition[*seedmanagement.ManagedSeed]{
		GroupVersion: seedmanagement.SchemeGroupVersion,
		Kind:         "ManagedSeed",
		Plural:       "managedseeds",
		Singular:     "managedseed",
		ShortNames:   []string{"ms"},
		New:          func() *seedmanagement.ManagedSeed { return &seedmanagement.ManagedSeed{} },
		NewList:      func() runtime.Object { return &seedmanagement.ManagedSeedList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*seedmanagement.ManagedSeed]{
			{Name: "Status", Description: "whether the seed is registered", Value: func(m *seedmanagement.ManagedSeed) any { return status(m) }},
			{Name: "Shoot", Description: "shoot that becomes a seed", Value: func(m *seedmanagement.ManagedSeed) any { return shootName(m) }},
		},
		Fields: map[string]func(*seedmanagement.ManagedSeed) string{
			"spec.shoot.name": func(m *seedmanagement.ManagedSeed) string { return shootName(m) },
		},
	}
}

func shootName(m *seedmanagement.ManagedSeed) string {
	if m.Spec.Shoot == nil {
		return ""
	}
	return m.Spec.Shoot.Name
}

func status(m *seedmanagement.ManagedSeed) string {
	switch cells.Condition(m.Status.Conditions, seedmanagement.SeedRegistered) {
	case string(core.ConditionTrue):
		return "Registered"
	case string(core.ConditionFalse):
		return "NotRegistered"
	default:
		return "Unknown"
	}
}
