package testmutation

import (
	"maps"
	"slices"
)

// path leads to a field: keys of objects and numbers of items of lists.
type path []any

// mostItems of a list have paths.
const mostItems = 3

// merge adds to a value what only the other one has.
func merge(full, base any) any {
	switch b := base.(type) {
	case map[string]any:
		out := maps.Clone(b)
		f, _ := full.(map[string]any)
		for key, value := range f {
			out[key] = merge(value, b[key])
		}
		return out
	case []any:
		f, _ := full.([]any)
		if len(f) == 0 {
			return b
		}
		out := []any{}
		for _, item := range b[:min(len(b), mostItems)] {
			out = append(out, merge(f[0], item))
		}
		if len(out) == 0 {
			return f
		}
		return out
	case nil:
		return full
	}
	return base
}

// paths are those of all fields, in order.
func paths(value any, above path) []path {
	var out []path
	add := func(key, below any) {
		at := append(slices.Clone(above), key)
		out = append(append(out, at), paths(below, at)...)
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			add(key, v[key])
		}
	case []any:
		for n, item := range v[:min(len(v), mostItems)] {
			add(n, item)
		}
	}
	return out
}

// find returns the value at a path of a filled object, whose lists have one item; nil if there is none.
func find(value any, at path) any {
	for _, key := range at {
		switch v := value.(type) {
		case map[string]any:
			value = v[key.(string)]
		case []any:
			if len(v) == 0 {
				return nil
			}
			value = v[0]
		default:
			return nil
		}
	}
	return value
}

// set changes the value at a path. It makes what leads there.
func set(value any, at path, change func(any) any) any {
	if len(at) == 0 {
		return change(value)
	}
	switch key := at[0].(type) {
	case string:
		object, _ := value.(map[string]any)
		object = maps.Clone(object)
		if object == nil {
			object = map[string]any{}
		}
		object[key] = set(object[key], at[1:], change)
		if object[key] == (gone{}) {
			delete(object, key)
		}
		return object
	case int:
		list, _ := value.([]any)
		list = slices.Clone(list)
		if key >= len(list) {
			list, key = append(list, nil), len(list)
		}
		list[key] = set(list[key], at[1:], change)
		if list[key] == (gone{}) {
			list = slices.Delete(list, key, key+1)
		}
		return list
	}
	return value
}
