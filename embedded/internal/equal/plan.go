package equal

import (
	"bytes"
	"reflect"
	"time"
	"unsafe"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// plans are being made: a type that contains itself finds its own there.
type plans map[reflect.Type]*equals

func (c *comparison) plan(t reflect.Type, made plans) equals {
	if known, found := c.known.Load(t); found {
		return known.(equals)
	}
	if begun, found := made[t]; found {
		return func(a, b unsafe.Pointer) bool { return (*begun)(a, b) }
	}
	plan := new(equals)
	made[t] = plan
	*plan = c.make(t, made)
	return *plan
}

func (c *comparison) make(t reflect.Type, made plans) equals {
	if t == reflect.TypeFor[time.Time]() {
		return scalars[time.Time] // what its zone is kept in is not looked into
	}
	if c.semantic {
		switch t {
		case reflect.TypeFor[resource.Quantity]():
			return as(func(a, b *resource.Quantity) bool { return a.Cmp(*b) == 0 })
		case reflect.TypeFor[metav1.Time]():
			return as(func(a, b *metav1.Time) bool { return a.Equal(b) })
		case reflect.TypeFor[metav1.MicroTime]():
			return as(func(a, b *metav1.MicroTime) bool { return a.Equal(b) })
		}
	}
	switch t.Kind() {
	case reflect.Bool:
		return scalars[bool]
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		return scalars[uint]
	case reflect.Int8, reflect.Uint8:
		return scalars[uint8]
	case reflect.Int16, reflect.Uint16:
		return scalars[uint16]
	case reflect.Int32, reflect.Uint32:
		return scalars[uint32]
	case reflect.Int64, reflect.Uint64:
		return scalars[uint64]
	case reflect.Float32:
		return scalars[float32]
	case reflect.Float64:
		return scalars[float64]
	case reflect.String:
		return scalars[string]
	case reflect.Pointer:
		return pointers(c.plan(t.Elem(), made))
	case reflect.Struct:
		return c.structs(t, made)
	case reflect.Array:
		size, count, elements := t.Elem().Size(), t.Len(), c.plan(t.Elem(), made)
		return func(a, b unsafe.Pointer) bool { return sequence(a, b, count, size, elements) }
	case reflect.Slice:
		return c.slices(t, made)
	case reflect.Map:
		return c.maps(t, made)
	}
	return c.others(t) // interfaces
}

func as[T any](same func(a, b *T) bool) equals {
	return func(a, b unsafe.Pointer) bool { return same((*T)(a), (*T)(b)) }
}

func scalars[T comparable](a, b unsafe.Pointer) bool { return *(*T)(a) == *(*T)(b) }

func pointers(element equals) equals {
	return func(a, b unsafe.Pointer) bool {
		to, other := *(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b)
		if to == other || to == nil || other == nil {
			return to == other
		}
		return element(to, other)
	}
}

func (c *comparison) structs(t reflect.Type, made plans) equals {
	type field struct {
		offset uintptr
		same   equals
	}
	fields := make([]field, t.NumField())
	for i := range fields {
		fields[i] = field{t.Field(i).Offset, c.plan(t.Field(i).Type, made)}
	}
	return func(a, b unsafe.Pointer) bool {
		for i := range fields {
			if f := &fields[i]; !f.same(unsafe.Add(a, f.offset), unsafe.Add(b, f.offset)) {
				return false
			}
		}
		return true
	}
}

func sequence(a, b unsafe.Pointer, count int, size uintptr, same equals) bool {
	for i := range count {
		if offset := uintptr(i) * size; !same(unsafe.Add(a, offset), unsafe.Add(b, offset)) {
			return false
		}
	}
	return true
}

// array is what a slice of any type is in memory, if only its length and where its elements are is asked for.
type array = []struct{}

func (c *comparison) slices(t reflect.Type, made plans) equals {
	size, elements, loose := t.Elem().Size(), c.plan(t.Elem(), made), c.semantic
	octets := t.Elem().Kind() == reflect.Uint8
	return func(a, b unsafe.Pointer) bool {
		list, other := *(*array)(a), *(*array)(b)
		first, second := unsafe.Pointer(unsafe.SliceData(list)), unsafe.Pointer(unsafe.SliceData(other))
		switch {
		case len(list) != len(other), !loose && (list == nil) != (other == nil):
			return false
		case first == second:
			return true
		case octets:
			return bytes.Equal(*(*[]byte)(a), *(*[]byte)(b))
		}
		return sequence(first, second, len(list), size, elements)
	}
}

func (c *comparison) maps(t reflect.Type, made plans) equals {
	values, loose := c.plan(t.Elem(), made), c.semantic
	return func(a, b unsafe.Pointer) bool {
		entries, others := reflect.NewAt(t, a).Elem(), reflect.NewAt(t, b).Elem()
		if entries.Len() != others.Len() || !loose && entries.IsNil() != others.IsNil() {
			return false
		}
		if entries.Len() == 0 || entries.UnsafePointer() == others.UnsafePointer() {
			return true
		}
		// Values in maps have no address.
		value, other := reflect.New(t.Elem()), reflect.New(t.Elem())
		for each := entries.MapRange(); each.Next(); {
			found := others.MapIndex(each.Key())
			if !found.IsValid() {
				return false
			}
			value.Elem().Set(each.Value())
			other.Elem().Set(found)
			if !values(value.UnsafePointer(), other.UnsafePointer()) {
				return false
			}
		}
		return true
	}
}

// others compares what has no plan.
func (c *comparison) others(t reflect.Type) equals {
	same := reflect.DeepEqual
	if c.semantic {
		same = apiequality.Semantic.DeepEqual
	}
	return func(a, b unsafe.Pointer) bool {
		value, other := reflect.NewAt(t, a).Elem(), reflect.NewAt(t, b).Elem()
		if value.IsNil() || other.IsNil() {
			return value.IsNil() == other.IsNil()
		}
		return same(value.Interface(), other.Interface())
	}
}
