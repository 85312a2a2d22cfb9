package wire

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Marshal encodes the struct that object points to. Equal values give equal bytes.
func Marshal(object any) ([]byte, error) {
	v := reflect.ValueOf(object).Elem()
	s := shapeOf(v.Type())
	last := s.size.Load()
	out, err := s.appendStruct(make([]byte, 0, last+last/8), v)
	s.size.Store(int64(len(out)))
	return out, err
}

func (s *shape) appendStruct(out []byte, v reflect.Value) (_ []byte, err error) {
	for i := range s.fields {
		f := &s.fields[i]
		if out, err = f.is.appendField(out, f.number, v.Field(f.index)); err != nil {
			return nil, fmt.Errorf("%s.%s: %w", s.of, s.of.Field(f.index).Name, err)
		}
	}
	return out, nil
}

// appendField writes a field, or all elements of a list or map.
func (s *shape) appendField(out []byte, number protowire.Number, v reflect.Value) (_ []byte, err error) {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return out, nil
		}
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.Map:
		return s.appendMap(out, number, v)
	case s.repeated:
		for i := range v.Len() {
			if out, err = s.element.appendValue(out, number, v.Index(i)); err != nil {
				return nil, err
			}
		}
		return out, nil
	case v.Kind() == reflect.Slice && v.IsNil():
		return out, nil
	}
	return s.appendValue(out, number, v)
}

func (s *shape) appendMap(out []byte, number protowire.Number, v reflect.Value) ([]byte, error) {
	if v.Len() == 0 {
		return out, nil
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	for _, key := range keys {
		begun, start := begin(out, number)
		entry, err := s.key.appendValue(begun, numberKey, key)
		if err == nil {
			entry, err = s.element.appendValue(entry, numberValue, v.MapIndex(key))
		}
		if err != nil {
			return nil, fmt.Errorf("key %q: %w", key, err)
		}
		out = end(entry, start)
	}
	return out, nil
}

func (s *shape) appendValue(out []byte, number protowire.Number, v reflect.Value) ([]byte, error) {
	switch v.Kind() {
	case reflect.Bool:
		return protowire.AppendVarint(protowire.AppendTag(out, number, protowire.VarintType), protowire.EncodeBool(v.Bool())), nil
	case reflect.Int, reflect.Int32, reflect.Int64:
		return protowire.AppendVarint(protowire.AppendTag(out, number, protowire.VarintType), uint64(v.Int())), nil
	case reflect.Uint32, reflect.Uint64:
		return protowire.AppendVarint(protowire.AppendTag(out, number, protowire.VarintType), v.Uint()), nil
	case reflect.Float64:
		return protowire.AppendFixed64(protowire.AppendTag(out, number, protowire.Fixed64Type), math.Float64bits(v.Float())), nil
	case reflect.String:
		return protowire.AppendString(protowire.AppendTag(out, number, protowire.BytesType), v.String()), nil
	}
	begun, start := begin(out, number)
	out, err := s.appendMessage(begun, v)
	if err != nil {
		return nil, err
	}
	return end(out, start), nil
}

func (s *shape) appendMessage(out []byte, v reflect.Value) (_ []byte, err error) {
	switch {
	case s.bytes:
		return append(out, v.Bytes()...), nil
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			if out, err = s.element.appendValue(out, numberItems, v.Index(i)); err != nil {
				return nil, err
			}
		}
		return out, nil
	case v.Kind() == reflect.Map:
		return s.appendMap(out, numberItems, v)
	case s.foreign:
		return appendForeign(out, addressable(v).Addr().Interface().(marshaler))
	case v.Kind() == reflect.Struct:
		return s.appendStruct(out, v)
	}
	return nil, fmt.Errorf("%s cannot be encoded as protocol buffers", v.Type())
}

func appendForeign(out []byte, object marshaler) ([]byte, error) {
	sized, knows := object.(sizer)
	if !knows {
		message, err := object.Marshal()
		return append(out, message...), err
	}
	size := sized.Size()
	out = slices.Grow(out, size)
	_, err := sized.MarshalToSizedBuffer(out[len(out) : len(out)+size])
	return out[:len(out)+size], err
}

// begin writes the tag of a message and reserves one byte for its length. The message starts at start.
func begin(out []byte, number protowire.Number) (_ []byte, start int) {
	out = append(protowire.AppendTag(out, number, protowire.BytesType), 0)
	return out, len(out)
}

// end fills in the length of the message that was written since begin. A long message is moved, because its length needs
// more than the reserved byte.
func end(out []byte, start int) []byte {
	length := uint64(len(out) - start)
	if length < 1<<7 {
		out[start-1] = byte(length)
		return out
	}
	more := protowire.SizeVarint(length) - 1
	out = append(out, make([]byte, more)...)
	copy(out[start+more:], out[start:])
	protowire.AppendVarint(out[:start-1], length)
	return out
}

// addressable copies a map value, which has no address, so that pointer methods can be called on it.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	copied := reflect.New(v.Type()).Elem()
	copied.Set(v)
	return copied
}
