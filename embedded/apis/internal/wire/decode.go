package wire

import (
	"fmt"
	"math"
	"reflect"

	"google.golang.org/protobuf/encoding/protowire"
)

// Unmarshal decodes data into the struct that object points to. Lists and maps are extended, other fields are replaced.
// Unknown fields are skipped. The object keeps no reference to data.
func Unmarshal(data []byte, object any) error {
	v := reflect.ValueOf(object).Elem()
	return shapeOf(v.Type()).readStruct(data, v)
}

// part is one field as it is on the wire.
type part struct {
	number   protowire.Number
	wireType protowire.Type
	value    uint64 // of numbers
	bytes    []byte // of everything else
}

// next splits the first field off data.
func next(data []byte) (p part, rest []byte, err error) {
	number, wireType, size := protowire.ConsumeTag(data)
	if size < 0 {
		return p, nil, protowire.ParseError(size)
	}
	p.number, p.wireType, data = number, wireType, data[size:]
	switch wireType {
	case protowire.VarintType:
		p.value, size = protowire.ConsumeVarint(data)
	case protowire.Fixed64Type:
		p.value, size = protowire.ConsumeFixed64(data)
	case protowire.Fixed32Type:
		var value uint32
		value, size = protowire.ConsumeFixed32(data)
		p.value = uint64(value)
	case protowire.BytesType:
		p.bytes, size = protowire.ConsumeBytes(data)
	default: // groups
		return p, nil, fmt.Errorf("wire type %d of field %d", wireType, number)
	}
	if size < 0 {
		return p, nil, fmt.Errorf("field %d: %w", number, protowire.ParseError(size))
	}
	return p, data[size:], nil
}

// each calls f with every field of a message.
func each(data []byte, f func(part) error) error {
	for len(data) > 0 {
		p, rest, err := next(data)
		if err != nil {
			return err
		}
		if err := f(p); err != nil {
			return err
		}
		data = rest
	}
	return nil
}

func (s *shape) readStruct(data []byte, v reflect.Value) error {
	return each(data, func(p part) error {
		f, known := s.numbered(p.number)
		if !known {
			return nil
		}
		if err := f.is.readField(p, v.Field(f.index)); err != nil {
			return fmt.Errorf("%s.%s: %w", s.of, s.of.Field(f.index).Name, err)
		}
		return nil
	})
}

// readField extends lists and maps. It replaces values and merges into structs.
func (s *shape) readField(p part, v reflect.Value) error {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.Map:
		return s.readEntry(p, v)
	case s.repeated:
		return s.readElement(p, v)
	}
	return s.readValue(p, v)
}

// readElement appends one element to a list.
func (s *shape) readElement(p part, v reflect.Value) error {
	last := v.Len()
	v.Grow(1)
	v.SetLen(last + 1)
	v.Index(last).SetZero()
	return s.element.readValue(p, v.Index(last))
}

func (s *shape) readEntry(entry part, v reflect.Value) error {
	if entry.wireType != protowire.BytesType {
		return fmt.Errorf("wire type %d for %s", entry.wireType, s.of)
	}
	key, value := reflect.New(s.of.Key()).Elem(), reflect.New(s.of.Elem()).Elem()
	err := each(entry.bytes, func(p part) error {
		switch p.number {
		case numberKey:
			return s.key.readValue(p, key)
		case numberValue:
			return s.element.readValue(p, value)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(s.of))
	}
	v.SetMapIndex(key, value)
	return nil
}

func (s *shape) readValue(p part, v reflect.Value) error {
	if p.wireType != s.wireType {
		return fmt.Errorf("wire type %d for %s", p.wireType, s.of)
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(protowire.DecodeBool(p.value))
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(p.value))
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(p.value)
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(p.value))
	case reflect.String:
		v.SetString(string(p.bytes))
	default:
		return s.readMessage(p.bytes, v)
	}
	return nil
}

func wireTypeOf(kind reflect.Kind) protowire.Type {
	switch kind {
	case reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64:
		return protowire.VarintType
	case reflect.Float64:
		return protowire.Fixed64Type
	}
	return protowire.BytesType
}

func (s *shape) readMessage(data []byte, v reflect.Value) error {
	switch {
	case s.bytes:
		v.SetBytes(append([]byte{}, data...))
		return nil
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(s.of, 0, 0))
		return each(data, func(p part) error {
			if p.number != numberItems {
				return nil
			}
			return s.readElement(p, v)
		})
	case v.Kind() == reflect.Map:
		return each(data, func(p part) error {
			if p.number != numberItems {
				return nil
			}
			return s.readEntry(p, v)
		})
	case s.foreign:
		if err := v.Addr().Interface().(marshaler).Unmarshal(data); err != nil || s.check == nil {
			return err
		}
		return s.check(v)
	case v.Kind() == reflect.Struct:
		return s.readStruct(data, v)
	}
	return fmt.Errorf("%s cannot be encoded as protocol buffers", s.of)
}
