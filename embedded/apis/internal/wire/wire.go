// Package wire encodes and decodes API types as protocol buffers, driven by their struct tags. It follows the rules by
// which Kubernetes derives messages from Go types: a field that is not a pointer is always written, a map is a repeated
// entry of key (1) and value (2), and a named list, or a map in a list, is a message with its elements as field 1.
// Types of k8s.io use their own Marshal and Unmarshal methods. Tags, varints and lengths are written by protowire.
//
// The package is not a general implementation: API types have no packed lists, groups or unions.
// Only the generated methods of the type packages may import it.
package wire

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers of the parts of a map entry, and of the elements of a list or map that is a message.
const (
	numberKey   protowire.Number = 1
	numberValue protowire.Number = 2
	numberItems protowire.Number = 1
)

// marshaler is implemented by types of k8s.io.
type marshaler interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

var marshalerType = reflect.TypeFor[marshaler]()

// sizer is implemented by most of these types as well.
type sizer interface {
	Size() int
	MarshalToSizedBuffer([]byte) (int, error)
}

// shape describes how a type is written. A pointer has the shape of the type it points to.
type shape struct {
	of       reflect.Type
	wireType protowire.Type
	foreign  bool    // has its own Marshal method
	check    check   // of a foreign type; nil if it needs none
	bytes    bool    // a list of bytes
	repeated bool    // a list that is a field with many values instead of a message
	fields   []field // of a struct, in Go order
	byNumber []int   // by field number: index into fields plus 1, or 0
	element  *shape  // of a list or map
	key      *shape  // of a map

	size atomic.Int64 // of the last message of this struct: a guess for the next one
}

// field is a struct field with a field number.
type field struct {
	index  int
	number protowire.Number
	is     *shape
}

// shapes caches the shape of every type that was asked for: reflect.Type → *shape.
var (
	shapes   sync.Map
	shapesMu sync.Mutex // held while new shapes are built
)

// shapeOf returns the shape of a struct by its tags, even if the struct has its own Marshal method.
func shapeOf(t reflect.Type) *shape {
	if known, found := shapes.Load(t); found && !known.(*shape).foreign {
		return known.(*shape)
	}
	shapesMu.Lock()
	defer shapesMu.Unlock()
	made := map[reflect.Type]*shape{}
	out := look(t, made)
	if out.foreign {
		out = &shape{of: t, wireType: protowire.BytesType}
		out.addFields(made)
	}
	for t, s := range made { // all shapes are complete by now
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

// addFields lists the fields with numbers. It panics on a malformed tag, which is a programming error.
func (s *shape) addFields(made map[reflect.Type]*shape) {
	for i := range s.of.NumField() {
		in := s.of.Field(i)
		tag, tagged := in.Tag.Lookup("protobuf")
		if !tagged {
			continue // apiVersion and kind are part of the envelope
		}
		parts := strings.Split(tag, ",")
		number, err := strconv.Atoi(parts[min(1, len(parts)-1)])
		if err != nil || number < 1 || number > maxNumber {
			panic(fmt.Sprintf("protobuf tag of %s.%s is %q", s.of, in.Name, tag))
		}
		s.fields = append(s.fields, field{i, protowire.Number(number), look(in.Type, made)})
		if number >= len(s.byNumber) {
			s.byNumber = append(s.byNumber, make([]int, number+1-len(s.byNumber))...)
		}
		s.byNumber[number] = len(s.fields)
	}
}

// maxNumber limits field numbers. No struct has as many fields.
const maxNumber = 1000

// numbered returns the field with a number.
func (s *shape) numbered(number protowire.Number) (field, bool) {
	if int(number) >= len(s.byNumber) || s.byNumber[number] == 0 {
		return field{}, false
	}
	return s.fields[s.byNumber[number]-1], true
}

// foreign says whether a type is encoded by its own Marshal method. A struct of this project that embeds a k8s.io type
// inherits such a method too, but the inherited method covers only the embedded fields.
func foreign(t reflect.Type) bool {
	return strings.HasPrefix(t.PkgPath(), "k8s.io/") && t.Kind() == reflect.Struct && reflect.PointerTo(t).Implements(marshalerType)
}

func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}
