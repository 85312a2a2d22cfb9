// Package rules holds the validation rules that kinds of all groups share.
package rules

import (
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Immutable reports a changed value.
func Immutable[T any](value, old T, path *field.Path) field.ErrorList {
	if apiequality.Semantic.DeepEqual(value, old) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, value, apivalidation.FieldImmutableErrorMsg)}
}
