// Package gardenlet stores gardenlets outside the garden cluster.
package gardenlet

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/cells"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind Gardenlet.
func Definition() resource.Definition[*seedmanagement.Gardenlet] {
	return resource.Definition[*seedmanagement.Gardenlet]{
		GroupVersion: seedmanagement.SchemeGroupVersion,
		Kind:         "Gardenlet",
		Plural:       "gardenlets",
		Singular:     "gardenlet",
		ShortNames:   []string{"gl", "glet"},
		New:          func() *seedmanagement.Gardenlet { return &seedmanagement.Gardenlet{} },
		NewList:      func() runtime.Object { return &seedmanagement.GardenletList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*seedmanagement.Gardenlet]{
			{Name: "OCI Repository", Description: "where the chart comes from", Value: func(g *seedmanagement.Gardenlet) any { return chart(g) }},
			{Name: "Reconciled", Description: "status of the condition GardenletReconciled", Empty: cells.Unknown, Value: func(g *seedmanagement.Gardenlet) any {
				return cells.Condition(g.Status.Conditions, seedmanagement.GardenletReconciled)
			}},
		},
	}
}

func chart(g *seedmanagement.Gardenlet) string {
	oci := g.Spec.Deployment.Helm.OCIRepository
	if oci.Ref != nil {
		return *oci.Ref
	}
	if oci.Digest != nil {
		return ptr.Deref(oci.Repository, "") + "@" + *oci.Digest
	}
	return ptr.Deref(oci.Repository, "") + ":" + ptr.Deref(oci.Tag, "")
}
