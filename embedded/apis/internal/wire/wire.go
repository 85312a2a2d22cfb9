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

// field is a field of a struct that has a number.
type field struct {
	index, number int
}

// plans holds what was found out about structs: reflect.Type → []field. Types do not change.
var plans sync.Map

// planOf lists the fields of a struct that have numbers, as they are ordered in Go. A tag that cannot be read is a mistake of
// the programmer.
func planOf(t reflect.Type) []field {
	if plan, known := plans.Load(t); known {
		return plan.([]field)
	}
	var plan []field
	for i := range t.NumField() {
		tag, tagged := t.Field(i).Tag.Lookup("protobuf")
		if !tagged {
			continue // apiVersion and kind are in the envelope
		}
		parts := strings.Split(tag, ",")
		number, err := strconv.Atoi(parts[min(1, len(parts)-1)])
		if err != nil || number < 1 {
			panic(fmt.Sprintf("protobuf tag of %s.%s is %q", t, t.Field(i).Name, tag))
		}
		plan = append(plan, field{i, number})
	}
	plans.Store(t, plan)
	return plan
}

// foreign tells that a type brings its own form. Our own structs may have the methods, too, because they embed a type of
// k8s.io, but then these know a part of the fields only.
func foreign(t reflect.Type) bool {
	return strings.HasPrefix(t.PkgPath(), "k8s.io/") && t.Kind() == reflect.Struct && reflect.PointerTo(t).Implements(marshalerType)
}

// repeated tells that a list is a field with many values instead of a message.
func repeated(t reflect.Type) bool { return t.Kind() == reflect.Slice && !isBytes(t) && t.Name() == "" }

func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}
