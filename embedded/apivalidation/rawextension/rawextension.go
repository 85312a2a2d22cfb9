// Package rawextension validates RawExtensions, in which objects carry data of others, such as provider configuration.
package rawextension

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validate reports every RawExtension in an object that is not a JSON object but, say, a number. Nothing else is known
// about its content. object is a pointer to a struct. A mistake that old has too is not reported, so that stored objects
// can be changed and deleted. old may be nil.
func Validate(object, old any) field.ErrorList {
	known := map[string]bool{}
	if old != nil {
		for _, err := range check(old) {
			known[err.Field] = true
		}
	}
	var errs field.ErrorList
	for _, err := range check(object) {
		if !known[err.Field] {
			errs = append(errs, err)
		}
	}
	return errs
}

func check(object any) field.ErrorList {
	var w walk
	w.visit(reflect.ValueOf(object))
	return w.errs
}

// walk visits all RawExtensions of an object.
type walk struct {
	at   []step
	errs field.ErrorList
}

// step is one step of a path: a field, an element of a list (its index counts from 1) or an entry of a map.
type step struct {
	field, key string
	index      int
}

func (w *walk) visit(v reflect.Value) {
	if !holds(v.Type()) {
		return
	}
	switch {
	case v.Kind() == reflect.Pointer:
		if !v.IsNil() {
			w.visit(v.Elem())
		}
	case v.Type() == rawExtension:
		w.check(v.Interface().(runtime.RawExtension).Raw)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); name == "" {
				w.visit(v.Field(i)) // inline
			} else {
				w.into(step{field: name}, v.Field(i))
			}
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			w.into(step{index: i + 1}, v.Index(i))
		}
	case v.Kind() == reflect.Map:
		for each := v.MapRange(); each.Next(); {
			w.into(step{key: fmt.Sprint(each.Key())}, each.Value())
		}
	}
}

func (w *walk) into(s step, v reflect.Value) {
	w.at = append(w.at, s)
	w.visit(v)
	w.at = w.at[:len(w.at)-1]
}

// shown is the number of bytes of a wrong value that an error shows.
const shown = 50

func (w *walk) check(raw []byte) {
	text := bytes.TrimSpace(raw)
	if len(text) == 0 || text[0] == '{' || bytes.Equal(text, []byte("null")) {
		return
	}
	if len(text) > shown {
		text = append(bytes.Clone(text[:shown]), "..."...)
	}
	w.errs = append(w.errs, field.Invalid(w.path(), string(text), "must be an object"))
}

func (w *walk) path() (out *field.Path) {
	for _, s := range w.at {
		switch {
		case s.field != "" && out == nil:
			out = field.NewPath(s.field)
		case s.field != "":
			out = out.Child(s.field)
		case s.index > 0:
			out = out.Index(s.index - 1)
		default:
			out = out.Key(s.key)
		}
	}
	return out
}

var rawExtension = reflect.TypeFor[runtime.RawExtension]()

// kinds caches whether a type may contain a RawExtension: reflect.Type → bool.
var kinds sync.Map

// Holds reports whether objects of a type may contain a RawExtension.
func Holds(t reflect.Type) bool { return holds(t) }

func holds(t reflect.Type) bool {
	if known, found := kinds.Load(t); found {
		return known.(bool)
	}
	answer := look(t, map[reflect.Type]bool{})
	kinds.Store(t, answer)
	return answer
}

func look(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == rawExtension {
		return true
	}
	if seen[t] {
		return false // whoever asked before finds it elsewhere
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return look(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() && look(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}
