package core

import (
	"slices"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// TaintsTolerated reports whether every taint is tolerated. A toleration without value covers all taints of its key. A
// toleration with a value covers only taints of that value.
func TaintsTolerated(taints []core.SeedTaint, tolerations []core.Toleration) bool {
	return !slices.ContainsFunc(taints, func(taint core.SeedTaint) bool {
		return !slices.ContainsFunc(tolerations, func(toleration core.Toleration) bool {
			return tolerates(toleration, taint)
		})
	})
}

func tolerates(toleration core.Toleration, taint core.SeedTaint) bool {
	if toleration.Key != taint.Key {
		return false
	}
	return toleration.Value == nil || taint.Value != nil && *toleration.Value == *taint.Value
}
