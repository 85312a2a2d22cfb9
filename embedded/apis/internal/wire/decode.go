package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
)

// Unmarshal adds what is encoded to what a pointer to a struct points to. Fields it does not know are skipped. The
// object holds no reference to data afterwards.
func Unmarshal(data []byte, object any) error {
	v := reflect.ValueOf(object).Elem()
	return shapeOf(v.Type()).readStruct(data, v)
}

// part is a number and a value as they are on the wire.
type part struct {
	number, wireType int
	value            uint64 // of numbers
	bytes            []byte // of everything else
}

// next takes the first part off data.
func next(data []byte) (p part, rest []byte, err error) {
	tag, size := binary.Uvarint(data)
	if size <= 0 {
		return p, nil, errTruncated
	}
	p.number, p.wireType, data = int(tag>>3), int(tag&7), data[size:]
	if p.number < 1 {
		return p, nil, fmt.Errorf("field number %d", p.number)
	}
	switch p.wireType {
	case typeVarint:
		if p.value, size = binary.Uvarint(data); size <= 0 {
			return p, nil, errTruncated
		}
		return p, data[size:], nil
	case typeFixed64:
		if len(data) < 8 {
			return p, nil, errTruncated
		}
		p.value = binary.LittleEndian.Uint64(data)
		return p, data[8:], nil
	case typeFixed32:
		if len(data) < 4 {
			return p, nil, errTruncated
		}
		p.value = uint64(binary.LittleEndian.Uint32(data))
		return p, data[4:], nil
	case typeBytes:
		length, size := binary.Uvarint(data)
		if size <= 0 || length > uint64(len(data)-size) {
			return p, nil, errTruncated
		}
		end := size + int(length)
		p.bytes = data[size:end]
		return p, data[end:], nil
	}
	return p, nil, fmt.Errorf("wire type %d of field %d", p.wireType, p.number)
}

// each calls f with every part of a message.
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

// readField adds to lists and maps and replaces or completes everything else.
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

// readElement adds to a list.
func (s *shape) readElement(p part, v reflect.Value) error {
	last := v.Len()
	v.Grow(1)
	v.SetLen(last + 1)
	v.Index(last).SetZero()
	return s.element.readValue(p, v.Index(last))
}

func (s *shape) readEntry(entry part, v reflect.Value) error {
	if entry.wireType != typeBytes {
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
		v.SetBool(p.value != 0)
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

func wireTypeOf(kind reflect.Kind) int {
	switch kind {
	case reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64:
		return typeVarint
	case reflect.Float64:
		return typeFixed64
	}
	return typeBytes
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
	return fmt.Errorf("%s has no form in protocol buffers", s.of)
}
