package ineffective

import (
	"reflect"
	"slices"
	"strings"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
)

// asks reports whether one of the values asks for something that the defaults do not.
func asks(values, defaults []reflect.Value) bool {
	return slices.ContainsFunc(values, func(value reflect.Value) bool {
		if len(defaults) == 0 {
			return !isOff(value, reflect.Value{})
		}
		return !slices.ContainsFunc(defaults, func(fallback reflect.Value) bool { return isOff(value, fallback) })
	})
}

// isOff reports whether a value is the default, or a structure whose switches are off or have their default.
func isOff(value, fallback reflect.Value) bool {
	if fallback.IsValid() && apiequality.Semantic.DeepEqual(value.Interface(), fallback.Interface()) {
		return true
	}
	value, fallback = reflect.Indirect(value), reflect.Indirect(fallback)
	if value.Kind() != reflect.Struct {
		return false
	}
	switches := 0
	for i := range value.NumField() {
		field, name := value.Field(i), nameOf(value.Type().Field(i))
		on := reflect.Indirect(field)
		if name == "enabled" && on.Kind() == reflect.Bool && !on.Bool() {
			switches++
			continue
		}
		if field.IsZero() {
			continue
		}
		var inner reflect.Value
		if fallback.IsValid() {
			inner = fallback.Field(i)
		}
		if !isOff(field, inner) {
			return false
		}
		switches++
	}
	return switches > 0
}

// valuesAt returns the values of a field that are set.
func valuesAt(object reflect.Value, path string) []reflect.Value {
	return values(object, strings.Split(path, "."))
}

func values(at reflect.Value, keys []string) []reflect.Value {
	switch {
	case at.IsZero():
		return nil
	case len(keys) == 0:
		return []reflect.Value{at}
	case at.Kind() == reflect.Pointer:
		return values(at.Elem(), keys)
	}
	key, list := strings.CutSuffix(keys[0], "[]")
	field := fieldOf(at, key)
	if !list {
		return values(field, keys[1:])
	}
	var all []reflect.Value
	for i := range field.Len() {
		all = append(all, values(field.Index(i), keys[1:])...)
	}
	return all
}

// fieldOf returns the field of a struct that has a name in JSON. It panics if there is none: the paths are constants.
func fieldOf(structure reflect.Value, key string) reflect.Value {
	for i := range structure.NumField() {
		if nameOf(structure.Type().Field(i)) == key {
			return structure.Field(i)
		}
	}
	panic(structure.Type().String() + " has no field " + key)
}

func nameOf(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}
