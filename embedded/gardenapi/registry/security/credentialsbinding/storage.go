// Package credentialsbinding stores bindings to infrastructure credentials of several kinds.
package credentialsbinding

import (
	"k8s.io/apimachinery/pkg/runtime"

	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/cells"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind CredentialsBinding.
func Definition() resource.Definition[*security.CredentialsBinding] {
	return resource.Definition[*security.CredentialsBinding]{
		GroupVersion: security.SchemeGroupVersion,
		Kind:         "CredentialsBinding",
		Plural:       "credentialsbindings",
		Singular:     "credentialsbinding",
		ShortNames:   []string{"cb"},
		New:          func() *security.CredentialsBinding { return &security.CredentialsBinding{} },
		NewList:      func() runtime.Object { return &security.CredentialsBindingList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*security.CredentialsBinding]{
			{Name: "Provider", Description: "type of the provider", Value: func(b *security.CredentialsBinding) any { return b.Provider.Type }},
			{Name: "APIVersion", Description: "API version of the credentials", Value: func(b *security.CredentialsBinding) any { return b.CredentialsRef.APIVersion }},
			{Name: "Kind", Description: "kind of the credentials", Value: func(b *security.CredentialsBinding) any { return b.CredentialsRef.Kind }},
			{Name: "Name", Description: "namespace and name of the credentials", Value: func(b *security.CredentialsBinding) any {
				return cells.Namespaced(b.CredentialsRef.Namespace, b.CredentialsRef.Name)
			}},
		},
	}
}
