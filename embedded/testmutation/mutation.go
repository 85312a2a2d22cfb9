// Package testmutation changes objects at random for fuzz tests of admission. An object stays one that JSON can carry: it is what a
// user could send. Fields that an object does not set are filled as well.
//
// For tests only.
package testmutation

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// maxEdits are made in one object, so that an input is soon tried.
const maxEdits = 32

// largest is how many bytes a request may have. API servers read no larger ones.
const largest = 3 << 20

// Large is how often an edit repeats what it makes large.
const Large = 2000

// Mutate returns a changed copy of an object, and false if the changes leave nothing that decodes as its type. Three bytes of edits are
// one change: the first two choose the field, the third chooses what happens to it. Text is what some changes write, as a string or
// as JSON.
func Mutate(object runtime.Object, edits []byte, text string) (runtime.Object, bool) {
	base, full := tree(object), filled(reflect.TypeOf(object).Elem())
	fields := paths(merge(full, base), nil)
	for n := 0; n+2 < len(edits) && n/3 < maxEdits && len(fields) > 0; n += 3 {
		at := fields[(int(edits[n])<<8|int(edits[n+1]))%len(fields)]
		changed := set(base, at, func(now any) any { return edit(now, find(full, at), edits[n+2], text) })
		if left := largest; fits(changed, &left) {
			base = changed
		}
	}
	raw, err := json.Marshal(base)
	if err != nil {
		return nil, false
	}
	changed := reflect.New(reflect.TypeOf(object).Elem()).Interface().(runtime.Object)
	if json.Unmarshal(raw, changed) != nil {
		return nil, false
	}
	changed.GetObjectKind().SetGroupVersionKind(object.GetObjectKind().GroupVersionKind())
	return changed, true
}

// gone is the result of an edit that removes a field.
type gone struct{}

// edit returns the new value of a field, which is nil where it is not set. full is what a filled object has there.
func edit(now, full any, kind byte, text string) any {
	switch kind % 9 {
	case 0:
		return full
	case 1:
		return gone{}
	case 2:
		return nil
	case 3:
		return empty(full)
	case 4:
		return text
	case 5:
		return parsed(text)
	case 6:
		return repeated(now, full, 2)
	case 7:
		return repeated(now, full, Large)
	}
	return map[string]any{text: full}
}

func empty(value any) any {
	switch value.(type) {
	case string:
		return ""
	case float64:
		return float64(0)
	case []any:
		return []any{}
	case map[string]any:
		return map[string]any{}
	}
	return false
}

// parsed is the value of a text in JSON, or the text.
func parsed(text string) any {
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return text
	}
	return value
}

// repeated makes lists, maps and texts longer.
func repeated(now, full any, times int) any {
	if now == nil {
		now = full
	}
	switch value := now.(type) {
	case string:
		return strings.Repeat(value, times)
	case []any:
		if len(value) == 0 {
			value, _ = full.([]any)
		}
		var out []any
		for n := 0; len(value) > 0 && n < times; n++ {
			out = append(out, value[n%len(value)])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for key, one := range value {
			out[key] = one
			for n := 0; len(value) == 1 && n < times; n++ {
				out[fmt.Sprint(key, n)] = one
			}
		}
		return out
	case float64:
		return value * -1e9 * float64(times)
	}
	return now
}

// fits reports whether a value has no more bytes than are left, about.
func fits(value any, left *int) bool {
	const syntax = 4
	*left -= syntax
	switch v := value.(type) {
	case string:
		*left -= len(v)
	case []any:
		for _, item := range v {
			if *left < 0 || !fits(item, left) {
				return false
			}
		}
	case map[string]any:
		for key, item := range v {
			*left -= len(key)
			if *left < 0 || !fits(item, left) {
				return false
			}
		}
	}
	return *left >= 0
}

func tree(object runtime.Object) any { return parsed(string(JSON(object))) }

// JSON is the form of an object in which it is sent.
func JSON(object runtime.Object) []byte {
	raw, err := json.Marshal(object)
	if err != nil {
		panic(fmt.Sprintf("mutation: %v", err)) // the test's mistake
	}
	return raw
}
