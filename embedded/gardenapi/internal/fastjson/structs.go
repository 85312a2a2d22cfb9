package fastjson

import (
	"reflect"
	"strings"
	"unsafe"
)

// field is a field of a struct or of a struct that is embedded in it.
type field struct {
	offset uintptr
	name   string // as JSON, with a colon
	write  writer
	omit   func(at unsafe.Pointer) bool // nil for never
}

// fieldsOf lists what is written of a struct, in order. It is false if that takes more than API types need.
func fieldsOf(t reflect.Type) (out []field, simple bool) {
	names := map[string]bool{}
	for i := range t.NumField() {
		in := t.Field(i)
		name, options, _ := strings.Cut(in.Tag.Get("json"), ",")
		switch {
		case in.Anonymous && name == "":
			if in.Type.Kind() != reflect.Struct {
				return nil, false
			}
			embedded, simple := fieldsOf(in.Type)
			if !simple {
				return nil, false
			}
			for _, inner := range embedded {
				if names[inner.name] {
					return nil, false
				}
				names[inner.name] = true
				inner.offset += in.Offset
				out = append(out, inner)
			}
			continue
		case !in.IsExported(), name == "-" && options == "":
			continue
		case name == "":
			name = in.Name
		}
		quoted, err := appendString(nil, name)
		if err != nil {
			return nil, false
		}
		one := field{offset: in.Offset, name: string(quoted) + ":", write: planOf(in.Type)}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "omitempty":
				one.omit = either(one.omit, empty(in.Type))
			case "omitzero":
				one.omit = either(one.omit, zero(in.Type))
			case "string":
				return nil, false
			}
		}
		if names[one.name] {
			return nil, false
		}
		names[one.name] = true
		out = append(out, one)
	}
	return out, true
}

func structOf(fields []field) writer {
	return func(to []byte, at unsafe.Pointer) (_ []byte, err error) {
		to = append(to, '{')
		first := true
		for i := range fields {
			f := &fields[i]
			in := unsafe.Add(at, f.offset)
			if f.omit != nil && f.omit(in) {
				continue
			}
			if !first {
				to = append(to, ',')
			}
			first = false
			to = append(to, f.name...)
			if to, err = f.write(to, in); err != nil {
				return nil, err
			}
		}
		return append(to, '}'), nil
	}
}

func either(a, b func(unsafe.Pointer) bool) func(unsafe.Pointer) bool {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	return func(at unsafe.Pointer) bool { return a(at) || b(at) }
}

// empty tells what omitempty leaves out; nil if it never does.
func empty(t reflect.Type) func(unsafe.Pointer) bool {
	switch t.Kind() {
	case reflect.Struct:
		return nil
	case reflect.Pointer:
		return func(at unsafe.Pointer) bool { return *(*unsafe.Pointer)(at) == nil }
	case reflect.String:
		return func(at unsafe.Pointer) bool { return *(*string)(at) == "" }
	case reflect.Bool:
		return func(at unsafe.Pointer) bool { return !*(*bool)(at) }
	case reflect.Slice:
		return func(at unsafe.Pointer) bool { return len(*(*array)(at)) == 0 }
	case reflect.Map, reflect.Array:
		return func(at unsafe.Pointer) bool { return reflect.NewAt(t, at).Elem().Len() == 0 }
	}
	return func(at unsafe.Pointer) bool { return reflect.NewAt(t, at).Elem().IsZero() } // numbers, interfaces
}

// zero tells what omitzero leaves out.
func zero(t reflect.Type) func(unsafe.Pointer) bool {
	type knows interface{ IsZero() bool }
	if reflect.PointerTo(t).Implements(reflect.TypeFor[knows]()) {
		return func(at unsafe.Pointer) bool { return reflect.NewAt(t, at).Interface().(knows).IsZero() }
	}
	return func(at unsafe.Pointer) bool { return reflect.NewAt(t, at).Elem().IsZero() }
}
