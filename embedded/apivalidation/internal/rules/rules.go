// Package rules has the rules that kinds of all groups share.
package rules

import (
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/gardener-up/gardener-up/embedded/internal/equal"
)

// Immutable reports a changed value.
func Immutable[T any](value, old T, path *field.Path) field.ErrorList {
	if equal.Semantic(&value, &old) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, value, apivalidation.FieldImmutableErrorMsg)}
}
