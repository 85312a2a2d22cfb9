package rawextension

import (
	"bytes"
	"encoding/json"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
)

// Normalize gives every RawExtension in an object the form that it has after it was written to a client as JSON: without
// spaces between tokens, and with <, > and & in strings escaped. Protocol buffers keep the bytes that a user sent, so
// two copies of one object would differ otherwise. What is no JSON stays as it is. object is a pointer to a struct.
func Normalize(object any) { normalize(reflect.ValueOf(object)) }

func normalize(v reflect.Value) {
	if !holds(v.Type()) {
		return
	}
	switch {
	case v.Kind() == reflect.Pointer:
		if !v.IsNil() {
			normalize(v.Elem())
		}
	case v.Type() == rawExtension:
		raw := v.Addr().Interface().(*runtime.RawExtension)
		raw.Raw = normal(raw.Raw)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			normalize(v.Field(i))
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			normalize(v.Index(i))
		}
	case v.Kind() == reflect.Map:
		for each := v.MapRange(); each.Next(); { // values of maps cannot be changed in place
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(each.Value())
			normalize(value)
			v.SetMapIndex(each.Key(), value)
		}
	}
}

// normal never changes raw in place, because others may hold it, too.
func normal(raw []byte) []byte {
	if len(raw) == 0 {
		return raw
	}
	written, err := json.Marshal(json.RawMessage(raw))
	if err != nil || bytes.Equal(written, raw) {
		return raw
	}
	return written
}
