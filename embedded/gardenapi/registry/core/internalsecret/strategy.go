package internalsecret

import (
	"context"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*core.InternalSecret] {
	return resource.Strategy[*core.InternalSecret]{
		Namespaced:          true,
		UnconditionalUpdate: true,
		PrepareCreate:       func(_ context.Context, s *core.InternalSecret) { mergeStringData(s) },
		PrepareUpdate: func(_ context.Context, s, old *core.InternalSecret) bool {
			if s.Type == "" { // older clients do not know the type
				s.Type = old.Type
			}
			mergeStringData(s)
			return false
		},
		Validate:       validation.ValidateInternalSecret,
		ValidateUpdate: validation.ValidateInternalSecretUpdate,
	}
}

// mergeStringData moves stringData to data.
func mergeStringData(s *core.InternalSecret) {
	for key, value := range s.StringData {
		if s.Data == nil {
			s.Data = map[string][]byte{}
		}
		s.Data[key] = []byte(value)
	}
	s.StringData = nil
}
