package wire

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
)

// Marshal encodes what a pointer to a struct points to. Equal values give equal bytes.
func Marshal(object any) ([]byte, error) {
	return appendStruct(nil, reflect.ValueOf(object).Elem())
}

func appendStruct(out []byte, v reflect.Value) (_ []byte, err error) {
	for _, f := range planOf(v.Type()) {
		if out, err = appendField(out, f.number, v.Field(f.index)); err != nil {
			return nil, fmt.Errorf("%s.%s: %w", v.Type(), v.Type().Field(f.index).Name, err)
		}
	}
	return out, nil
}

// appendField also writes all elements of lists and maps.
func appendField(out []byte, number int, v reflect.Value) (_ []byte, err error) {
	switch {
	case v.Kind() == reflect.Pointer && v.IsNil():
		return out, nil
	case v.Kind() == reflect.Pointer:
		return appendField(out, number, v.Elem())
	case v.Kind() == reflect.Map:
		return appendMap(out, number, v)
	case repeated(v.Type()):
		for i := range v.Len() {
			if out, err = appendValue(out, number, v.Index(i)); err != nil {
				return nil, err
			}
		}
		return out, nil
	case v.Kind() == reflect.Slice && v.IsNil():
		return out, nil
	}
	return appendValue(out, number, v)
}

func appendMap(out []byte, number int, v reflect.Value) ([]byte, error) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	for _, key := range keys {
		entry, err := appendValue(nil, numberKey, key)
		if err == nil {
			entry, err = appendValue(entry, numberValue, v.MapIndex(key))
		}
		if err != nil {
			return nil, fmt.Errorf("key %q: %w", key, err)
		}
		out = appendBytes(out, number, entry)
	}
	return out, nil
}

func appendValue(out []byte, number int, v reflect.Value) ([]byte, error) {
	switch v.Kind() {
	case reflect.Bool:
		value := uint64(0)
		if v.Bool() {
			value = 1
		}
		return binary.AppendUvarint(appendTag(out, number, typeVarint), value), nil
	case reflect.Int, reflect.Int32, reflect.Int64:
		return binary.AppendUvarint(appendTag(out, number, typeVarint), uint64(v.Int())), nil
	case reflect.Uint32, reflect.Uint64:
		return binary.AppendUvarint(appendTag(out, number, typeVarint), v.Uint()), nil
	case reflect.Float64:
		return binary.LittleEndian.AppendUint64(appendTag(out, number, typeFixed64), math.Float64bits(v.Float())), nil
	case reflect.String:
		return appendBytes(out, number, []byte(v.String())), nil
	}
	message, err := appendMessage(nil, v)
	return appendBytes(out, number, message), err
}

func appendMessage(out []byte, v reflect.Value) ([]byte, error) {
	switch {
	case isBytes(v.Type()):
		return v.Bytes(), nil
	case v.Kind() == reflect.Slice:
		var err error
		for i := range v.Len() {
			if out, err = appendValue(out, numberItems, v.Index(i)); err != nil {
				return nil, err
			}
		}
		return out, nil
	case v.Kind() == reflect.Map:
		return appendMap(out, numberItems, v)
	case foreign(v.Type()):
		return addressable(v).Addr().Interface().(marshaler).Marshal()
	case v.Kind() == reflect.Struct:
		return appendStruct(out, v)
	}
	return nil, fmt.Errorf("%s has no form in protocol buffers", v.Type())
}

// addressable copies values of maps, which methods with pointers cannot be called on.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	copied := reflect.New(v.Type()).Elem()
	copied.Set(v)
	return copied
}

func appendTag(out []byte, number, wireType int) []byte {
	return binary.AppendUvarint(out, uint64(number)<<3|uint64(wireType))
}

func appendBytes(out []byte, number int, value []byte) []byte {
	return append(binary.AppendUvarint(appendTag(out, number, typeBytes), uint64(len(value))), value...)
}
