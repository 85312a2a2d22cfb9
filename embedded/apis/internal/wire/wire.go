// Package wire writes and reads API types in protocol buffers, as their struct tags say. It follows the rules by which
// Kubernetes derives messages from Go types: fields that are no pointers are always there, maps are repeated entries of
// key (1) and value (2), and a named list, or a map in a list, is a message with its elements as field 1.
// Types of k8s.io bring their own form. It is no general implementation: packed lists, groups and unions do not occur.
//
// For the generated methods of the type packages only.
package wire

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Wire types.
const (
	typeVarint  = 0
	typeFixed64 = 1
	typeBytes   = 2
	typeFixed32 = 5
)

// Numbers of the parts of a map's entry, and of the elements of a list or map that is a message.
const (
	numberKey   = 1
	numberValue = 2
	numberItems = 1
)

var errTruncated = errors.New("unexpected end of message")

// marshaler is what types of k8s.io implement.
type marshaler interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

var marshalerType = reflect.TypeFor[marshaler]()

// sizer is what most of them implement, too.
type sizer interface {
	Size() int
	MarshalToSizedBuffer([]byte) (int, error)
}

// shape is how a type is written, pointers aside.
type shape struct {
	of       reflect.Type
	wireType int
	foreign  bool    // brings its own form
	check    check   // of a foreign one; nil if there is none
	bytes    bool    // a list of bytes
	repeated bool    // a list that is a field with many values instead of a message
	fields   []field // of structs, as they are ordered in Go
	byNumber []int   // indexes of fields, plus 1
	element  *shape  // of lists and maps
	key      *shape  // of maps

	size atomic.Int64 // of the last message of this struct, for a guess of the next
}

// field is a field of a struct that has a number.
type field struct {
	index, number int
	is            *shape
}

// shapes are kept, for types do not change: reflect.Type → *shape.
var (
	shapes   sync.Map
	shapesMu sync.Mutex // of who finds out
)

// shapeOf finds out how a struct is written by its tags, even if it brings its own form.
func shapeOf(t reflect.Type) *shape {
	if known, found := shapes.Load(t); found && !known.(*shape).foreign {
		return known.(*shape)
	}
	shapesMu.Lock()
	defer shapesMu.Unlock()
	made := map[reflect.Type]*shape{}
	out := look(t, made)
	if out.foreign {
		out = &shape{of: t, wireType: typeBytes}
		out.addFields(made)
	}
	for t, s := range made { // all of them are complete now
		shapes.Store(t, s)
	}
	return out
}

func look(t reflect.Type, made map[reflect.Type]*shape) *shape {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if known, found := shapes.Load(t); found {
		return known.(*shape)
	}
	if begun, found := made[t]; found {
		return begun
	}
	s := &shape{of: t, wireType: wireTypeOf(t.Kind()), foreign: foreign(t), bytes: isBytes(t)}
	made[t] = s
	if s.foreign {
		s.check = checks[t.Name()]
	}
	switch {
	case s.foreign || s.bytes:
	case t.Kind() == reflect.Slice:
		s.repeated = t.Name() == ""
		s.element = look(t.Elem(), made)
	case t.Kind() == reflect.Map:
		s.key, s.element = look(t.Key(), made), look(t.Elem(), made)
	case t.Kind() == reflect.Struct:
		s.addFields(made)
	}
	return s
}

// addFields lists the fields that have numbers. A tag that cannot be read is a mistake of the programmer.
func (s *shape) addFields(made map[reflect.Type]*shape) {
	for i := range s.of.NumField() {
		in := s.of.Field(i)
		tag, tagged := in.Tag.Lookup("protobuf")
		if !tagged {
			continue // apiVersion and kind are in the envelope
		}
		parts := strings.Split(tag, ",")
		number, err := strconv.Atoi(parts[min(1, len(parts)-1)])
		if err != nil || number < 1 || number > maxNumber {
			panic(fmt.Sprintf("protobuf tag of %s.%s is %q", s.of, in.Name, tag))
		}
		s.fields = append(s.fields, field{i, number, look(in.Type, made)})
		if number >= len(s.byNumber) {
			s.byNumber = append(s.byNumber, make([]int, number+1-len(s.byNumber))...)
		}
		s.byNumber[number] = len(s.fields)
	}
}

// maxNumber is more than any struct has fields.
const maxNumber = 1000

// numbered finds a field.
func (s *shape) numbered(number int) (field, bool) {
	if number >= len(s.byNumber) || s.byNumber[number] == 0 {
		return field{}, false
	}
	return s.fields[s.byNumber[number]-1], true
}

// foreign tells that a type brings its own form. Our own structs may have the methods, too, because they embed a type of
// k8s.io, but then these know a part of the fields only.
func foreign(t reflect.Type) bool {
	return strings.HasPrefix(t.PkgPath(), "k8s.io/") && t.Kind() == reflect.Struct && reflect.PointerTo(t).Implements(marshalerType)
}

func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}
