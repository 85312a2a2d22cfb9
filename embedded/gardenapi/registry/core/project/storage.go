// Package project stores projects.
package project

import (
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/cells"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind Project.
func Definition() resource.Definition[*core.Project] {
	return resource.Definition[*core.Project]{
		GroupVersion: core.SchemeGroupVersion,
		Kind:         "Project",
		Plural:       "projects",
		Singular:     "project",
		New:          func() *core.Project { return &core.Project{} },
		NewList:      func() runtime.Object { return &core.ProjectList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*core.Project]{
			{Name: "Namespace", Description: "namespace of the project", Value: func(p *core.Project) any { return cells.String(p.Spec.Namespace) }},
			{Name: "Status", Description: "stage of the project", Value: func(p *core.Project) any { return string(p.Status.Phase) }},
			{Name: "Owner", Description: "who is responsible", Empty: cells.Unknown, Value: func(p *core.Project) any { return name(p.Spec.Owner) }},
			{Name: "Creator", Description: "who created it", Empty: cells.Unknown, Value: func(p *core.Project) any { return name(p.Spec.CreatedBy) }},
		},
		Fields: map[string]func(*core.Project) string{
			"spec.namespace": func(p *core.Project) string { return cells.String(p.Spec.Namespace) },
		},
	}
}

func name(subject *rbacv1.Subject) string { return ptr.Deref(subject, rbacv1.Subject{}).Name }
