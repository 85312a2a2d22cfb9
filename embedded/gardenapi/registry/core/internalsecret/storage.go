// Package internalsecret stores secrets that users cannot read.
package internalsecret

import (
	"k8s.io/apimachinery/pkg/runtime"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind InternalSecret.
func Definition() resource.Definition[*core.InternalSecret] {
	return resource.Definition[*core.InternalSecret]{
		GroupVersion: core.SchemeGroupVersion,
		Kind:         "InternalSecret",
		Plural:       "internalsecrets",
		Singular:     "internalsecret",
		ShortNames:   []string{"ins"},
		New:          func() *core.InternalSecret { return &core.InternalSecret{} },
		NewList:      func() runtime.Object { return &core.InternalSecretList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*core.InternalSecret]{
			{Name: "Type", Description: "type of the secret", Value: func(s *core.InternalSecret) any { return string(s.Type) }},
			{Name: "Data", Description: "number of keys", Type: "integer", Value: func(s *core.InternalSecret) any { return len(s.Data) }},
		},
		Fields: map[string]func(*core.InternalSecret) string{
			"type": func(s *core.InternalSecret) string { return string(s.Type) },
		},
	}
}
