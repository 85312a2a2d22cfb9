package config

import (
	"reflect"
	"strings"
)

// WithoutEffect names the keys of the decoded file that this gardenlet does not act upon, in the order of the kind.
func (c *GardenletConfiguration) WithoutEffect() []string { return c.withoutEffect }

// withoutEffect walks what is set; it has to be called before defaults are.
func withoutEffect(object reflect.Value, path string) []string {
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
		if value = reflect.Indirect(value); value.Kind() == reflect.Struct && value.Type().PkgPath() == ownPackage {
			keys = append(keys, withoutEffect(value, inner)...)
		}
	}
	return keys
}

// ownPackage holds the structs whose fields may be tagged.
var ownPackage = reflect.TypeFor[GardenletConfiguration]().PkgPath()
