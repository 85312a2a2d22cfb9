// Package resource turns the declaration of a kind into REST storage over etcd. The Definition of a kind says how it is
// named, what its writes change, how it is printed and which fields can be selected. The packages
// registry/<group>/<kind> hold the declarations. This package knows no kind.
package resource

import (
	"context"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Object is a stored API object. In the generic types below, T is a pointer to the struct of a kind.
type Object interface {
	runtime.Object
	metav1.Object
}

// Definition declares a stored kind.
type Definition[T Object] struct {
	GroupVersion schema.GroupVersion // the version clients select fields of; the storage version, too
	Kind         string
	Plural       string
	Singular     string
	ShortNames   []string
	Categories   []string

	New     func() T
	NewList func() runtime.Object

	Strategy Strategy[T]
	Columns  []Column[T]
	// Fields can be used in field selectors besides metadata.name and metadata.namespace.
	Fields map[string]func(T) string
}

// Strategy declares what writes do. Every function may be nil.
type Strategy[T Object] struct {
	Namespaced bool
	// UnconditionalUpdate allows PUT without resourceVersion.
	UnconditionalUpdate bool

	// Spec is the part that users write. A change raises metadata.generation. Writes to /status keep it.
	Spec Part[T]
	// Status is the part that only /status may write. A kind without it has no status subresource.
	Status Part[T]

	// PrepareCreate changes a new object before validation. Status and generation are already set.
	PrepareCreate func(ctx context.Context, obj T)
	// PrepareUpdate changes obj before validation. If it returns true, the generation is raised although Spec is equal.
	PrepareUpdate func(ctx context.Context, obj, old T) (raise bool)
	// KeepGeneration reports whether a change of Spec does not raise the generation.
	KeepGeneration func(obj, old T) bool
	// PrepareStatus is like PrepareUpdate, for writes to /status.
	PrepareStatus func(ctx context.Context, obj, old T) (raise bool)
	// Canonicalize changes a valid object to the stored form.
	Canonicalize func(obj T)

	// CarriesAnything allows any content of RawExtensions. Otherwise they must be JSON objects.
	CarriesAnything bool

	Validate       func(obj T) field.ErrorList
	ValidateUpdate func(obj, old T) field.ErrorList
	ValidateStatus func(obj, old T) field.ErrorList
	// Warnings are returned to the client that creates or changes the object.
	Warnings func(ctx context.Context, obj, old T) []string
}

// Part is a part of an object that is written on its own.
type Part[T Object] struct {
	// Same reports whether the part is equal in both objects.
	Same func(a, b T) bool
	// Copy overwrites the part of to with that of from. Only kinds with a status need it.
	Copy func(to, from T)
}

// Field makes a Part of a field like spec or status.
func Field[T Object, P any](of func(T) *P) Part[T] {
	return Part[T]{
		Same: func(a, b T) bool { return apiequality.Semantic.DeepEqual(of(a), of(b)) },
		Copy: func(to, from T) { *of(to) = *of(from) },
	}
}

func (p Part[T]) exists() bool { return p.Same != nil }

func (d Definition[T]) resource() schema.GroupResource {
	return schema.GroupResource{Group: d.GroupVersion.Group, Resource: d.Plural}
}
