package flags

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// args collects flags and leaves out empty ones.
type args []string

func (a *args) text(name, value string) {
	if value != "" {
		*a = append(*a, "--"+name+"="+value)
	}
}

func (a *args) number(name string, value int) {
	if value != 0 {
		a.text(name, strconv.Itoa(value))
	}
}

func (a *args) list(name string, values []string) { a.text(name, strings.Join(values, ",")) }

// each adds a flag for each value.
func (a *args) each(name string, values []string) {
	for _, value := range values {
		a.text(name, value)
	}
}

// optional adds a flag unless value is nil; zero and false are values.
func optional[T any](a *args, name string, value *T) {
	if value != nil {
		a.text(name, fmt.Sprint(*value))
	}
}

// Pairs returns "key=value" of each entry in the order of the keys.
func Pairs[V any](values map[string]V) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		out = append(out, fmt.Sprintf("%s=%v", key, values[key]))
	}
	return out
}
