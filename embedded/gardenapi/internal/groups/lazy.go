package groups

import (
	"encoding/json"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/gardener-up/gardener-up/embedded/internal/equal"
)

// lazyObject is an object that is looked at as a map. The map is made when somebody asks for it. Most who write compare
// the old and the new object only, which differ in few parts, say in labels: maps are made of these parts alone.
type lazyObject struct {
	object runtime.Object // a pointer to a struct, not changed
	kind   reflect.Type
	asMap  map[string]any // nil until somebody asks
}

var _ interface {
	value.Value
	value.Map
} = &lazyObject{}

func newLazyObject(object runtime.Object) *lazyObject {
	return &lazyObject{object: object, kind: reflect.TypeOf(object).Elem()}
}

// content converts the whole object.
func (l *lazyObject) content() map[string]any {
	if l.asMap == nil {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(l.object)
		if err != nil {
			panic(fmt.Sprintf("convert stored %s: %v", l.kind, err)) // JSON cannot carry it, so it was not stored
		}
		l.asMap = content
	}
	return l.asMap
}

func (l *lazyObject) whole() value.Map { return value.NewValueInterface(l.content()).AsMap() }

// ZipUsing shows what differs. Whoever compares, and only they walk two maps, has nothing to say of what is equal.
func (l *lazyObject) ZipUsing(a value.Allocator, other value.Map, order value.MapTraverseOrder, show func(key string, ours, theirs value.Value) bool) bool {
	theirs, isLazy := other.(*lazyObject)
	if !isLazy || l.kind != theirs.kind {
		return l.whole().ZipUsing(a, other, order, show)
	}
	ours, others := l.differences(theirs)
	from, err := value.NewValueReflect(ours)
	if err != nil {
		panic(err) // they are pointers to structs
	}
	to, err := value.NewValueReflect(others)
	if err != nil {
		panic(err)
	}
	return value.MapZipUsing(a, from.AsMap(), to.AsMap(), order, show)
}

// differences returns both objects without the fields that are the same in both, and without the record of who manages
// fields, which nobody manages: it is as large as an object.
func (l *lazyObject) differences(other *lazyObject) (ours, theirs any) {
	own, others := reflect.New(l.kind), reflect.New(l.kind)
	copyDifferences(own.Elem(), others.Elem(), reflect.ValueOf(l.object).Elem(), reflect.ValueOf(other.object).Elem())
	for _, copied := range []reflect.Value{own, others} {
		if object, is := copied.Interface().(metav1.Object); is {
			object.SetManagedFields(nil)
		}
	}
	return own.Interface(), others.Interface()
}

// copyDifferences copies the fields of two structs that are different. It looks into structs in structs, but not into
// what pointers, lists and maps refer to.
func copyDifferences(own, others, from, to reflect.Value) {
	for i := range from.NumField() {
		a, b := from.Field(i), to.Field(i)
		switch {
		case equal.Identical(a, b):
		case a.Kind() == reflect.Struct && !reflect.PointerTo(a.Type()).Implements(marshalerType):
			copyDifferences(own.Field(i), others.Field(i), a, b)
		default:
			own.Field(i).Set(a)
			others.Field(i).Set(b)
		}
	}
}

// marshalerType is implemented by structs that are one value in JSON.
var marshalerType = reflect.TypeFor[json.Marshaler]()

func (l *lazyObject) Zip(other value.Map, order value.MapTraverseOrder, show func(key string, ours, theirs value.Value) bool) bool {
	return l.ZipUsing(value.HeapAllocator, other, order, show)
}

func (l *lazyObject) IsMap() bool    { return true }
func (l *lazyObject) IsList() bool   { return false }
func (l *lazyObject) IsBool() bool   { return false }
func (l *lazyObject) IsInt() bool    { return false }
func (l *lazyObject) IsFloat() bool  { return false }
func (l *lazyObject) IsString() bool { return false }
func (l *lazyObject) IsNull() bool   { return false }

func (l *lazyObject) AsMap() value.Map                       { return l }
func (l *lazyObject) AsMapUsing(value.Allocator) value.Map   { return l }
func (l *lazyObject) AsList() value.List                     { panic("an object is no list") }
func (l *lazyObject) AsListUsing(value.Allocator) value.List { panic("an object is no list") }
func (l *lazyObject) AsBool() bool                           { panic("an object is no bool") }
func (l *lazyObject) AsInt() int64                           { panic("an object is no integer") }
func (l *lazyObject) AsFloat() float64                       { panic("an object is no number") }
func (l *lazyObject) AsString() string                       { panic("an object is no string") }
func (l *lazyObject) Unstructured() any                      { return l.content() }

// Empty is never so: an object has a kind.
func (l *lazyObject) Empty() bool { return false }

func (l *lazyObject) Length() int                        { return l.whole().Length() }
func (l *lazyObject) Has(key string) bool                { return l.whole().Has(key) }
func (l *lazyObject) Set(key string, val value.Value)    { l.whole().Set(key, val) }
func (l *lazyObject) Delete(key string)                  { l.whole().Delete(key) }
func (l *lazyObject) Get(key string) (value.Value, bool) { return l.whole().Get(key) }
func (l *lazyObject) Equals(other value.Map) bool        { return l.whole().Equals(other) }
func (l *lazyObject) GetUsing(a value.Allocator, key string) (value.Value, bool) {
	return l.whole().GetUsing(a, key)
}
func (l *lazyObject) EqualsUsing(a value.Allocator, other value.Map) bool {
	return l.whole().EqualsUsing(a, other)
}
func (l *lazyObject) Iterate(show func(key string, val value.Value) bool) bool {
	return l.whole().Iterate(show)
}
func (l *lazyObject) IterateUsing(a value.Allocator, show func(key string, val value.Value) bool) bool {
	return l.whole().IterateUsing(a, show)
}
