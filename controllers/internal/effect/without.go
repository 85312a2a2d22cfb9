// Package effect finds keys of a configuration that are accepted but have no effect. The fields of such keys carry the
// tag effect:"none".
package effect

import (
	"reflect"
	"strings"
)

// Without lists the keys without effect that a decoded configuration, a struct, sets, in the order of the fields. It
// must be called before defaults are set. It looks only into structs of the package of the configuration.
func Without(configuration any) []string {
	value := reflect.ValueOf(configuration)
	return walk(value, "", value.Type().PkgPath())
}

func walk(object reflect.Value, path, own string) []string {
	var keys []string
	for i := range object.NumField() {
		field, value := object.Type().Field(i), object.Field(i)
		if value.IsZero() || !field.IsExported() {
			continue
		}
		key, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		inner := path
		if key != "" && !strings.Contains(options, "inline") {
			inner = strings.TrimPrefix(path+"."+key, ".")
		}
		if field.Tag.Get("effect") == "none" {
			keys = append(keys, inner)
			continue
		}
		if value = reflect.Indirect(value); value.Kind() == reflect.Struct && value.Type().PkgPath() == own {
			keys = append(keys, walk(value, inner, own)...)
		}
	}
	return keys
}
