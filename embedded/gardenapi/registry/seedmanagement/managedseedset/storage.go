// Package managedseedset stores sets of shoots that become seeds.
package managedseedset

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind ManagedSeedSet.
func Definition() resource.Definition[*seedmanagement.ManagedSeedSet] {
	return resource.Definition[*seedmanagement.ManagedSeedSet]{
		GroupVersion: seedmanagement.SchemeGroupVersion,
		Kind:         "ManagedSeedSet",
		Plural:       "managedseedsets",
		Singular:     "managedseedset",
		ShortNames:   []string{"mss"},
		New:          func() *seedmanagement.ManagedSeedSet { return &seedmanagement.ManagedSeedSet{} },
		NewList:      func() runtime.Object { return &seedmanagement.ManagedSeedSetList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*seedmanagement.ManagedSeedSet]{
			{Name: "Ready", Description: "ready and wanted replicas", Value: func(m *seedmanagement.ManagedSeedSet) any { return ready(m) }},
			{Name: "Pending", Description: "replica that is waited for, and why", Value: func(m *seedmanagement.ManagedSeedSet) any { return pending(m) }},
		},
	}
}

func ready(m *seedmanagement.ManagedSeedSet) string {
	return fmt.Sprintf("%d/%d", m.Status.ReadyReplicas, ptr.Deref(m.Spec.Replicas, 1))
}

func pending(m *seedmanagement.ManagedSeedSet) string {
	if m.Status.PendingReplica == nil {
		return ""
	}
	return m.Status.PendingReplica.Name + ":" + string(m.Status.PendingReplica.Reason)
}
