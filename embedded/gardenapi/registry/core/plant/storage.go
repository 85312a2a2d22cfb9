// Package plant stores external clusters.
package plant

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/cells"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind Plant.
func Definition() resource.Definition[*core.Plant] {
	return resource.Definition[*core.Plant]{
		GroupVersion: core.SchemeGroupVersion,
		Kind:         "Plant",
		Plural:       "plants",
		Singular:     "plant",
		ShortNames:   []string{"pl"},
		Categories:   []string{"all"},
		New:          func() *core.Plant { return &core.Plant{} },
		NewList:      func() runtime.Object { return &core.PlantList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*core.Plant]{
			{Name: "Type", Description: "type of the cloud", Empty: cells.Unknown, Value: func(p *core.Plant) any { return info(p).Cloud.Type }},
			{Name: "Region", Description: "region in the cloud", Empty: cells.Unknown, Value: func(p *core.Plant) any { return info(p).Cloud.Region }},
			{Name: "Version", Description: "version of Kubernetes", Empty: cells.Unknown, Value: func(p *core.Plant) any { return info(p).Kubernetes.Version }},
			{Name: "APIServer", Description: "status of the condition APIServerAvailable", Empty: cells.Unknown, Value: func(p *core.Plant) any {
				return cells.Condition(p.Status.Conditions, core.PlantAPIServerAvailable)
			}},
			{Name: "Nodes", Description: "status of the condition EveryNodeReady", Empty: cells.Unknown, Value: func(p *core.Plant) any {
				return cells.Condition(p.Status.Conditions, core.PlantEveryNodeReady)
			}},
		},
	}
}

func info(p *core.Plant) core.PlantClusterInfo {
	return ptr.Deref(p.Status.ClusterInfo, core.PlantClusterInfo{})
}
