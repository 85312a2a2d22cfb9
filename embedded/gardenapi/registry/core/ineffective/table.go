// Package ineffective warns users about fields of the Gardener API that are stored for compatibility but that nothing in
// a landscape acts on. It has one table per kind. The tests of hack/fields compare the tables with the code that reads
// the fields, and docs/api.md with the tables.
package ineffective

import (
	"context"
	"reflect"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
)

// Field is a field without effect. It stands for all fields below it.
type Field struct {
	// Path is that of the manifest. "[]" behind a key means every element of a list.
	Path string
	// Instead is what to use instead; it may be empty.
	Instead string
}

// Table lists the fields without effect of a kind. T is a pointer to its type, whose specification is the field Spec.
type Table[T any] struct {
	Fields []Field
	// Default returns an object that has only defaults. Its lists have one element each.
	Default func() T
}

// Warnings returns a warning for each field of an object that is set and has no effect. Fields with their default cause no warnings,
// and neither do switches that are off. old is nil for a creation. An update that keeps the specification causes no warnings.
func (t Table[T]) Warnings(_ context.Context, object, old T) []string {
	spec, before := specOf(object), specOf(old)
	if before.IsValid() && apiequality.Semantic.DeepEqual(spec.Interface(), before.Interface()) {
		return nil
	}
	defaults := reflect.ValueOf(t.Default())
	var out []string
	for _, field := range t.Fields {
		if asks(valuesAt(reflect.ValueOf(object), field.Path), valuesAt(defaults, field.Path)) {
			out = append(out, field.Warning())
		}
	}
	return out
}

// Warning is the text for users.
func (f Field) Warning() string {
	text := f.Path + " is stored, but has no effect in this version"
	if f.Instead != "" {
		text += "; use " + f.Instead + " instead"
	}
	return text
}

// specOf returns the zero Value if there is no object.
func specOf(object any) reflect.Value {
	value := reflect.ValueOf(object)
	if value.IsNil() {
		return reflect.Value{}
	}
	return value.Elem().FieldByName("Spec")
}
