// Package controllerinstallation stores installations of extension controllers.
package controllerinstallation

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/cells"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind ControllerInstallation.
func Definition() resource.Definition[*core.ControllerInstallation] {
	return resource.Definition[*core.ControllerInstallation]{
		GroupVersion: core.SchemeGroupVersion,
		Kind:         "ControllerInstallation",
		Plural:       "controllerinstallations",
		Singular:     "controllerinstallation",
		ShortNames:   []string{"ctrlinst"},
		Categories:   []string{"all"},
		New:          func() *core.ControllerInstallation { return &core.ControllerInstallation{} },
		NewList:      func() runtime.Object { return &core.ControllerInstallationList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*core.ControllerInstallation]{
			{Name: "Registration", Description: "what is installed", Value: func(i *core.ControllerInstallation) any { return i.Spec.RegistrationRef.Name }},
			{Name: "Seed", Description: "where it is installed", Value: func(i *core.ControllerInstallation) any { return reference(i.Spec.SeedRef).Name }},
			{Name: "Valid", Description: "status of the condition Valid", Empty: cells.Unknown, Value: func(i *core.ControllerInstallation) any {
				return cells.Condition(i.Status.Conditions, core.ControllerInstallationValid)
			}},
			{Name: "Installed", Description: "status of the condition Installed", Empty: cells.Unknown, Value: func(i *core.ControllerInstallation) any {
				return cells.Condition(i.Status.Conditions, core.ControllerInstallationInstalled)
			}},
			{Name: "Healthy", Description: "status of the condition Healthy", Empty: cells.Unknown, Value: func(i *core.ControllerInstallation) any {
				return cells.Condition(i.Status.Conditions, core.ControllerInstallationHealthy)
			}},
			{Name: "Progressing", Description: "status of the condition Progressing", Empty: cells.Unknown, Value: func(i *core.ControllerInstallation) any {
				return cells.Condition(i.Status.Conditions, core.ControllerInstallationProgressing)
			}},
		},
		Fields: map[string]func(*core.ControllerInstallation) string{
			"spec.registrationRef.name": func(i *core.ControllerInstallation) string { return i.Spec.RegistrationRef.Name },
			"spec.seedRef.name":         func(i *core.ControllerInstallation) string { return reference(i.Spec.SeedRef).Name },
			"spec.shootRef.name":        func(i *core.ControllerInstallation) string { return reference(i.Spec.ShootRef).Name },
			"spec.shootRef.namespace":   func(i *core.ControllerInstallation) string { return reference(i.Spec.ShootRef).Namespace },
		},
	}
}

func reference(ref *corev1.ObjectReference) corev1.ObjectReference {
	return ptr.Deref(ref, corev1.ObjectReference{})
}
