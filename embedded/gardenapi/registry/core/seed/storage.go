// Package seed stores seeds.
package seed

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/cells"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind Seed.
func Definition() resource.Definition[*core.Seed] {
	return resource.Definition[*core.Seed]{
		GroupVersion: core.SchemeGroupVersion,
		Kind:         "Seed",
		Plural:       "seeds",
		Singular:     "seed",
		New:          func() *core.Seed { return &core.Seed{} },
		NewList:      func() runtime.Object { return &core.SeedList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*core.Seed]{
			{Name: "Status", Description: "whether the seed can be used", Value: func(s *core.Seed) any { return status(s) }},
			{Name: "Last Operation", Description: "what was last done to the seed", Empty: cells.Pending, Value: func(s *core.Seed) any { return cells.Operation(s.Status.LastOperation) }},
			{Name: "Provider", Description: "type of the provider", Value: func(s *core.Seed) any { return s.Spec.Provider.Type }},
			{Name: "Region", Description: "region of the seed", Value: func(s *core.Seed) any { return s.Spec.Provider.Region }},
			resource.AgeColumn[*core.Seed](),
			{Name: "Version", Description: "version of the gardenlet", Value: func(s *core.Seed) any { return ptr.Deref(s.Status.Gardener, core.Gardener{}).Version }},
			{Name: "K8S Version", Description: "version of the cluster", Value: func(s *core.Seed) any { return cells.String(s.Status.KubernetesVersion) }},
		},
	}
}

// status sums up the conditions. A seed without backups has no condition about buckets.
func status(s *core.Seed) string {
	gardenlet := cells.Condition(s.Status.Conditions, core.SeedGardenletReady)
	buckets := cells.Condition(s.Status.Conditions, core.SeedBackupBucketsReady)
	extensions := cells.Condition(s.Status.Conditions, core.SeedExtensionsReady)
	components := cells.Condition(s.Status.Conditions, core.SeedSystemComponentsHealthy)
	switch {
	case gardenlet == string(core.ConditionUnknown):
		return "Unknown"
	case gardenlet != string(core.ConditionTrue),
		buckets != "" && buckets != string(core.ConditionTrue),
		extensions == "" || isBad(extensions),
		isBad(components):
		return "NotReady"
	default:
		return "Ready"
	}
}

func isBad(status string) bool {
	return status == string(core.ConditionFalse) || status == string(core.ConditionUnknown)
}
