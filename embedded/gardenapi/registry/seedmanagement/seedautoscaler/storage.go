// Package seedautoscaler stores SeedAutoscalers. It scales nothing.
package seedautoscaler

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind SeedAutoscaler.
func Definition() resource.Definition[*seedmanagement.SeedAutoscaler] {
	return resource.Definition[*seedmanagement.SeedAutoscaler]{
		GroupVersion: seedmanagement.SchemeGroupVersion,
		Kind:         "SeedAutoscaler",
		Plural:       "seedautoscalers",
		Singular:     "seedautoscaler",
		ShortNames:   []string{"sas"}, // sa is a service account
		New:          func() *seedmanagement.SeedAutoscaler { return &seedmanagement.SeedAutoscaler{} },
		NewList:      func() runtime.Object { return &seedmanagement.SeedAutoscalerList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*seedmanagement.SeedAutoscaler]{
			{Name: "Reference", Description: "set that is scaled", Value: func(a *seedmanagement.SeedAutoscaler) any { return reference(a) }},
			{Name: "Min", Type: "integer", Description: "seeds that always remain", Value: func(a *seedmanagement.SeedAutoscaler) any { return int64(ptr.Deref(a.Spec.MinReplicas, 1)) }},
			{Name: "Max", Type: "integer", Description: "seeds that are never exceeded", Value: func(a *seedmanagement.SeedAutoscaler) any { return int64(a.Spec.MaxReplicas) }},
			{Name: "Replicas", Type: "integer", Description: "seeds that were last seen", Value: func(a *seedmanagement.SeedAutoscaler) any { return int64(a.Status.CurrentReplicas) }},
		},
	}
}

func reference(a *seedmanagement.SeedAutoscaler) string {
	return a.Spec.ScaleTargetRef.Kind + "/" + a.Spec.ScaleTargetRef.Name
}
