package fastjson

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// writer appends the JSON of what a pointer points to.
type writer func(to []byte, at unsafe.Pointer) ([]byte, error)

// plans are kept for each type, for types do not change: reflect.Type → writer.
var plans sync.Map

// planOf finds out how a type is written.
func planOf(t reflect.Type) writer {
	if known, found := plans.Load(t); found {
		return known.(writer)
	}
	// A type that contains itself finds this one meanwhile.
	var made writer
	var done sync.WaitGroup
	done.Add(1)
	if known, found := plans.LoadOrStore(t, writer(func(to []byte, at unsafe.Pointer) ([]byte, error) {
		done.Wait()
		return made(to, at)
	})); found {
		return known.(writer)
	}
	made = plan(t)
	done.Done()
	plans.Store(t, made)
	return made
}

func plan(t reflect.Type) writer {
	switch {
	case t == reflect.TypeFor[metav1.FieldsV1]():
		return fields
	case slices.Contains(compact, t):
		return own(t)
	case writesItself(t):
		return standard(t)
	}
	switch t.Kind() {
	case reflect.Bool:
		return func(to []byte, at unsafe.Pointer) ([]byte, error) { return strconv.AppendBool(to, *(*bool)(at)), nil }
	case reflect.Int:
		return integer[int]
	case reflect.Int8:
		return integer[int8]
	case reflect.Int16:
		return integer[int16]
	case reflect.Int32:
		return integer[int32]
	case reflect.Int64:
		return integer[int64]
	case reflect.String:
		return func(to []byte, at unsafe.Pointer) ([]byte, error) { return appendString(to, *(*string)(at)) }
	case reflect.Pointer:
		return pointerTo(planOf(t.Elem()))
	case reflect.Slice:
		return slice(t)
	case reflect.Map:
		switch {
		case !plainText(t.Key()):
		case plainText(t.Elem()):
			return mapOfStrings
		default:
			return mapOf(t)
		}
	case reflect.Struct:
		if fields, simple := fieldsOf(t); simple {
			return structOf(fields)
		}
	}
	return standard(t)
}

func writesItself(t reflect.Type) bool {
	pointer := reflect.PointerTo(t)
	return pointer.Implements(reflect.TypeFor[json.Marshaler]()) || pointer.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// plainText are strings of any type.
func plainText(t reflect.Type) bool { return t.Kind() == reflect.String && !writesItself(t) }

// compact are types that write themselves without spaces, and escape what is to be escaped.
var compact = []reflect.Type{
	reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime](), reflect.TypeFor[metav1.Duration](),
	reflect.TypeFor[resource.Quantity](), reflect.TypeFor[intstr.IntOrString](),
}

// own asks a value, without checking what it says.
func own(t reflect.Type) writer {
	return func(to []byte, at unsafe.Pointer) ([]byte, error) {
		text, err := reflect.NewAt(t, at).Interface().(json.Marshaler).MarshalJSON()
		return append(to, text...), err
	}
}

// standard leaves a type to encoding/json.
func standard(t reflect.Type) writer {
	return func(to []byte, at unsafe.Pointer) ([]byte, error) {
		text, err := json.Marshal(reflect.NewAt(t, at).Interface())
		return append(to, text...), err
	}
}

func integer[T int | int8 | int16 | int32 | int64](to []byte, at unsafe.Pointer) ([]byte, error) {
	return strconv.AppendInt(to, int64(*(*T)(at)), 10), nil
}

// appendString leaves strings with special characters to encoding/json.
func appendString(to []byte, text string) ([]byte, error) {
	for i := range len(text) {
		if plain := text[i] < 0x80 && !special[text[i]]; !plain {
			quoted, err := json.Marshal(text)
			return append(to, quoted...), err
		}
	}
	to = append(to, '"')
	to = append(to, text...)
	return append(to, '"'), nil
}

// special are the characters of ASCII that are escaped, some of them lest they are taken for HTML.
var special = func() (out [0x80]bool) {
	for c := range 0x20 {
		out[c] = true
	}
	for _, c := range `"\<>&` {
		out[c] = true
	}
	return out
}()

const null = "null"

func pointerTo(element writer) writer {
	return func(to []byte, at unsafe.Pointer) ([]byte, error) {
		if at = *(*unsafe.Pointer)(at); at == nil {
			return append(to, null...), nil
		}
		return element(to, at)
	}
}

// array is what a slice of any type is in memory, if only its length and where its elements are is asked for.
type array = []struct{}

func slice(t reflect.Type) writer {
	if t.Elem().Kind() == reflect.Uint8 {
		return octets
	}
	size, element := t.Elem().Size(), planOf(t.Elem())
	return func(to []byte, at unsafe.Pointer) (_ []byte, err error) {
		list := *(*array)(at)
		if list == nil {
			return append(to, null...), nil
		}
		to = append(to, '[')
		first := unsafe.Pointer(unsafe.SliceData(list))
		for i := range list {
			if i > 0 {
				to = append(to, ',')
			}
			if to, err = element(to, unsafe.Add(first, uintptr(i)*size)); err != nil {
				return nil, err
			}
		}
		return append(to, ']'), nil
	}
}

func octets(to []byte, at unsafe.Pointer) ([]byte, error) {
	bytes := *(*[]byte)(at)
	if bytes == nil {
		return append(to, null...), nil
	}
	to = base64.StdEncoding.AppendEncode(append(to, '"'), bytes)
	return append(to, '"'), nil
}

// mapOfStrings writes maps whose keys and values are strings of any type: these are kept in the same way.
func mapOfStrings(to []byte, at unsafe.Pointer) (_ []byte, err error) {
	entries := *(*map[string]string)(at)
	if entries == nil {
		return append(to, null...), nil
	}
	to = append(to, '{')
	for i, key := range slices.Sorted(maps.Keys(entries)) {
		if i > 0 {
			to = append(to, ',')
		}
		if to, err = appendString(to, key); err != nil {
			return nil, err
		}
		if to, err = appendString(append(to, ':'), entries[key]); err != nil {
			return nil, err
		}
	}
	return append(to, '}'), nil
}

func mapOf(t reflect.Type) writer {
	element := planOf(t.Elem())
	return func(to []byte, at unsafe.Pointer) (_ []byte, err error) {
		entries := reflect.NewAt(t, at).Elem()
		if entries.IsNil() {
			return append(to, null...), nil
		}
		keys := make([]string, 0, entries.Len())
		for each := entries.MapRange(); each.Next(); {
			keys = append(keys, each.Key().String())
		}
		slices.Sort(keys)
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()) // values in maps have no address
		to = append(to, '{')
		for i, name := range keys {
			if i > 0 {
				to = append(to, ',')
			}
			if to, err = appendString(to, name); err != nil {
				return nil, err
			}
			to = append(to, ':')
			key.SetString(name)
			value.Elem().Set(entries.MapIndex(key))
			if to, err = element(to, value.UnsafePointer()); err != nil {
				return nil, err
			}
		}
		return append(to, '}'), nil
	}
}

// fields is for the record of who manages fields. It is as large as the rest of an object, and who makes it, an API
// server, leaves no space.
func fields(to []byte, at unsafe.Pointer) ([]byte, error) {
	of := (*metav1.FieldsV1)(at)
	if len(of.Raw) == 0 {
		return append(to, null...), nil
	}
	for _, c := range of.Raw {
		if c >= 0x80 || c < 0x20 || c == '<' || c == '>' || c == '&' {
			text, err := json.Marshal(of)
			return append(to, text...), err
		}
	}
	return append(to, of.Raw...), nil
}
