// Package quota stores quotas.
package quota

import (
	"strconv"

	"k8s.io/apimachinery/pkg/runtime"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/cells"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind Quota.
func Definition() resource.Definition[*core.Quota] {
	return resource.Definition[*core.Quota]{
		GroupVersion: core.SchemeGroupVersion,
		Kind:         "Quota",
		Plural:       "quotas",
		Singular:     "quota",
		ShortNames:   []string{"squota"},
		New:          func() *core.Quota { return &core.Quota{} },
		NewList:      func() runtime.Object { return &core.QuotaList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*core.Quota]{
			{Name: "Scope", Description: "what the quota limits", Value: func(q *core.Quota) any { return q.Spec.Scope.APIVersion + "." + q.Spec.Scope.Kind }},
			{Name: "Cluster Lifetime", Description: "days until clusters are deleted", Empty: cells.Unspecified, Value: func(q *core.Quota) any { return lifetime(q) }},
		},
	}
}

func lifetime(q *core.Quota) string {
	if q.Spec.ClusterLifetimeDays == nil {
		return ""
	}
	return strconv.Itoa(int(*q.Spec.ClusterLifetimeDays)) + " days"
}
