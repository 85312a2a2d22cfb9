// Package secretbinding stores bindings to infrastructure credentials.
package secretbinding

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/cells"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind SecretBinding.
func Definition() resource.Definition[*core.SecretBinding] {
	return resource.Definition[*core.SecretBinding]{
		GroupVersion: core.SchemeGroupVersion,
		Kind:         "SecretBinding",
		Plural:       "secretbindings",
		Singular:     "secretbinding",
		ShortNames:   []string{"sb"},
		New:          func() *core.SecretBinding { return &core.SecretBinding{} },
		NewList:      func() runtime.Object { return &core.SecretBindingList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*core.SecretBinding]{
			{Name: "Secret", Description: "secret with the credentials", Value: func(b *core.SecretBinding) any { return cells.Namespaced(b.SecretRef.Namespace, b.SecretRef.Name) }},
			{Name: "Provider", Description: "type of the provider", Empty: cells.None, Value: func(b *core.SecretBinding) any { return ptr.Deref(b.Provider, core.SecretBindingProvider{}).Type }},
		},
	}
}
