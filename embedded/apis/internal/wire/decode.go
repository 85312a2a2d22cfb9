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
	return readStruct(data, reflect.ValueOf(object).Elem())
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

func readStruct(data []byte, v reflect.Value) error {
	plan := planOf(v.Type())
	return each(data, func(p part) error {
		for _, f := range plan {
			if f.number != p.number {
				continue
			}
			if err := readField(p, v.Field(f.index)); err != nil {
				return fmt.Errorf("%s.%s: %w", v.Type(), v.Type().Field(f.index).Name, err)
			}
		}
		return nil
	})
}

// readField adds to lists and maps and replaces or completes everything else.
func readField(p part, v reflect.Value) error {
	switch {
	case v.Kind() == reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return readField(p, v.Elem())
	case v.Kind() == reflect.Map:
		return readEntry(p, v)
	case repeated(v.Type()):
		element := reflect.New(v.Type().Elem()).Elem()
		if err := readValue(p, element); err != nil {
			return err
		}
		v.Set(reflect.Append(v, element))
		return nil
	}
	return readValue(p, v)
}

func readEntry(entry part, v reflect.Value) error {
	if entry.wireType != typeBytes {
		return fmt.Errorf("wire type %d for %s", entry.wireType, v.Type())
	}
	key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	err := each(entry.bytes, func(p part) error {
		switch p.number {
		case numberKey:
			return readValue(p, key)
		case numberValue:
			return readValue(p, value)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	v.SetMapIndex(key, value)
	return nil
}

func readValue(p part, v reflect.Value) error {
	if want := wireTypeOf(v); p.wireType != want {
		return fmt.Errorf("wire type %d for %s", p.wireType, v.Type())
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
		return readMessage(p.bytes, v)
	}
	return nil
}

func wireTypeOf(v reflect.Value) int {
	switch v.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64:
		return typeVarint
	case reflect.Float64:
		return typeFixed64
	}
	return typeBytes
}

func readMessage(data []byte, v reflect.Value) error {
	switch {
	case isBytes(v.Type()):
		v.SetBytes(append([]byte{}, data...))
		return nil
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		return each(data, func(p part) error {
			if p.number != numberItems {
				return nil
			}
			element := reflect.New(v.Type().Elem()).Elem()
			if err := readValue(p, element); err != nil {
				return err
			}
			v.Set(reflect.Append(v, element))
			return nil
		})
	case v.Kind() == reflect.Map:
		return each(data, func(p part) error {
			if p.number != numberItems {
				return nil
			}
			return readEntry(p, v)
		})
	case foreign(v.Type()):
		return v.Addr().Interface().(marshaler).Unmarshal(data)
	case v.Kind() == reflect.Struct:
		return readStruct(data, v)
	}
	return fmt.Errorf("%s has no form in protocol buffers", v.Type())
}
