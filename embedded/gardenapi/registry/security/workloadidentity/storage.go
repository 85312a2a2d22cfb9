// Package workloadidentity stores workload identities and issues tokens for them.
package workloadidentity

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind WorkloadIdentity.
func Definition() resource.Definition[*security.WorkloadIdentity] {
	return resource.Definition[*security.WorkloadIdentity]{
		GroupVersion: security.SchemeGroupVersion,
		Kind:         "WorkloadIdentity",
		Plural:       "workloadidentities",
		Singular:     "workloadidentity",
		ShortNames:   []string{"wi"},
		New:          func() *security.WorkloadIdentity { return &security.WorkloadIdentity{} },
		NewList:      func() runtime.Object { return &security.WorkloadIdentityList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*security.WorkloadIdentity]{
			{Name: "Sub", Description: "subject of tokens", Value: func(w *security.WorkloadIdentity) any { return w.Status.Sub }},
			{Name: "Type", Description: "type of the system that trusts the tokens", Value: func(w *security.WorkloadIdentity) any { return w.Spec.TargetSystem.Type }},
			{Name: "Audiences", Description: "audiences of tokens", Wide: true, Value: func(w *security.WorkloadIdentity) any { return strings.Join(w.Spec.Audiences, ", ") }},
		},
	}
}
