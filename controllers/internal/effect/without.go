// Package effect finds keys of a configuration that are accepted but have no effect. The fields of such keys carry the
// tag effect:"none". A test in hack/fields compares the tags with the code that reads the fields. A tag instead:"…" names
// what to use instead.
package effect

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
)

// Values of the tag effect.
const (
	None    = "none"
	Process = "process" // has an effect only if the component is a process of its own
)

// Keys lists the keys of a decoded configuration whose field has the tag, and whose value differs from the default. The
// configuration must be a struct. Keys are in the order of the fields. Keys must be called before defaults are set. It looks only
// into structs of the package of the configuration and of package componentconfig.
func Keys[T any](configuration, defaults T, tag string) []string {
	value := reflect.ValueOf(configuration)
	return walk(value, reflect.ValueOf(defaults), "", scope{tag, value.Type().PkgPath()})
}

// Log writes a line for the operator if there are keys without effect.
func Log(log logr.Logger, keys []string) {
	if len(keys) > 0 {
		log.Info("Keys of the configuration are set and have no effect", "keys", keys)
	}
}

type scope struct{ tag, pkg string }

var shared = reflect.TypeFor[componentconfig.Server]().PkgPath()

func (s scope) covers(structure reflect.Type) bool {
	return structure.PkgPath() == s.pkg || structure.PkgPath() == shared
}

// walk gets the zero Value for defaults where there are none.
func walk(object, defaults reflect.Value, path string, in scope) []string {
	var keys []string
	for i := range object.NumField() {
		field, value, fallback := object.Type().Field(i), object.Field(i), fieldOf(defaults, i)
		if isEmpty(value) || !field.IsExported() {
			continue
		}
		key, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		inner := path
		if key != "" && !strings.Contains(options, "inline") {
			inner = strings.TrimPrefix(path+"."+key, ".")
		}
		if field.Tag.Get("effect") == in.tag {
			if !isDefault(value, fallback) {
				keys = append(keys, inner+hint(field))
			}
			continue
		}
		keys = append(keys, below(reflect.Indirect(value), fallback, inner, in)...)
	}
	return keys
}

func below(value, defaults reflect.Value, path string, in scope) []string {
	switch {
	case value.Kind() == reflect.Struct && in.covers(value.Type()):
		return walk(value, defaults, path, in)
	case value.Kind() == reflect.Slice:
		var keys []string
		for i := range value.Len() {
			keys = append(keys, below(reflect.Indirect(value.Index(i)), reflect.Value{}, fmt.Sprintf("%s[%d]", path, i), in)...)
		}
		return keys
	default:
		return nil
	}
}

// isEmpty reports whether a value sets nothing.
func isEmpty(value reflect.Value) bool {
	switch inner := reflect.Indirect(value); {
	case value.IsZero():
		return true
	case inner.Kind() == reflect.Map || inner.Kind() == reflect.Slice:
		return inner.Len() == 0
	case inner.Kind() != reflect.Struct:
		return false
	default:
		for i := range inner.NumField() {
			if !isEmpty(inner.Field(i)) {
				return false
			}
		}
		return true
	}
}

func hint(field reflect.StructField) string {
	if instead := field.Tag.Get("instead"); instead != "" {
		return " (use " + instead + " instead)"
	}
	return ""
}

// fieldOf returns the field of a struct or of a pointer to one. It returns the zero Value if there is no struct.
func fieldOf(structure reflect.Value, i int) reflect.Value {
	if structure.Kind() == reflect.Pointer {
		structure = structure.Elem()
	}
	if structure.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return structure.Field(i)
}

// isDefault reports whether every field that is set has its default.
func isDefault(value, fallback reflect.Value) bool {
	if !fallback.IsValid() {
		return false
	}
	if value.Kind() == reflect.Pointer && !value.IsNil() && !fallback.IsNil() {
		value, fallback = value.Elem(), fallback.Elem()
	}
	if value.Kind() != reflect.Struct {
		return reflect.DeepEqual(value.Interface(), fallback.Interface())
	}
	for i := range value.NumField() {
		if field := value.Field(i); value.Type().Field(i).IsExported() && !isEmpty(field) && !isDefault(field, fallback.Field(i)) {
			return false
		}
	}
	return true
}
