package groups

import (
	"reflect"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// converter looks at objects lazily. Every write compares the old and the new object to find out which fields it has
// changed; objects of Gardener have hundreds of fields, of which a write changes few. What the library does by itself
// looks at all fields, and makes a map of the whole object for each manager only to read its apiVersion.
type converter struct {
	managedfields.TypeConverter
	schemas *sync.Map // schema.GroupVersionKind: kindSchema, of kinds that were asked for
}

func newConverter(types managedfields.TypeConverter) converter { return converter{types, &sync.Map{}} }

type kindSchema struct {
	types *smdschema.Schema
	ref   smdschema.TypeRef
}

// ObjectToTyped takes structs and maps. It does not change obj. A struct has the fields of its kind only; so, where
// elements of lists may repeat their keys, nothing is left to check.
func (c converter) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	if _, isMap := obj.(*unstructured.Unstructured); isMap {
		return c.TypeConverter.ObjectToTyped(obj, opts...)
	}
	if !slices.Contains(opts, typed.AllowDuplicates) {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
		if err != nil {
			return nil, err
		}
		return c.TypeConverter.ObjectToTyped(&unstructured.Unstructured{Object: content}, opts...)
	}
	of, err := c.schemaOf(obj.GetObjectKind().GroupVersionKind())
	if err != nil {
		return nil, err
	}
	return typed.AsTypedUnvalidated(newLazyObject(obj), of.types, of.ref), nil
}

// TypedToObject returns a struct if ObjectToTyped was given one: most who ask want to know its version only.
func (c converter) TypedToObject(from *typed.TypedValue) (runtime.Object, error) {
	lazy, isLazy := from.AsValue().(*lazyObject)
	if !isLazy {
		return c.TypeConverter.TypedToObject(from)
	}
	copied := reflect.New(lazy.kind) // who converts it changes its kind
	copied.Elem().Set(reflect.ValueOf(lazy.object).Elem())
	return copied.Interface().(runtime.Object), nil
}

func (c converter) schemaOf(gvk schema.GroupVersionKind) (kindSchema, error) {
	if known, found := c.schemas.Load(gvk); found {
		return known.(kindSchema), nil
	}
	empty := &unstructured.Unstructured{}
	empty.SetGroupVersionKind(gvk)
	sample, err := c.TypeConverter.ObjectToTyped(empty)
	if err != nil {
		return kindSchema{}, err
	}
	of := kindSchema{sample.Schema(), sample.TypeRef()}
	c.schemas.Store(gvk, of)
	return of, nil
}
