// Package mistakes tests validation with tables of rules: a rule sets a field of a valid object to a wrong value, and
// validation must report exactly the named fields.
//
// For tests only.
package mistakes

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Rule is a wrong value of a field, and the fields that validation must report.
type Rule struct {
	name, path, value string
	want              []string
}

// R makes a rule that sets the field at a path like "spec.workers[0].name" to a JSON value. Without places, validation
// must report the path itself.
func R(name, path, value string, want ...string) Rule {
	if len(want) == 0 {
		want = []string{path}
	}
	return Rule{name: name, path: path, value: value, want: want}
}

// Fine makes a rule with a valid value.
func Fine(name, path, value string) Rule { return Rule{name: name, path: path, value: value} }

// Check applies each rule to a new object, which must be valid before.
func Check[T any](t *testing.T, valid func() *T, validate func(*T) field.ErrorList, rules ...Rule) {
	t.Helper()
	if errs := validate(valid()); len(errs) > 0 {
		t.Fatalf("the object to begin with has mistakes: %v", errs)
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			object := valid()
			Set(t, object, r.path, r.value)
			want(t, r.want, validate(object))
		})
	}
}

// CheckUpdate applies each rule as a change of a valid object.
func CheckUpdate[T any](t *testing.T, valid func() *T, validate func(object, old *T) field.ErrorList, rules ...Rule) {
	t.Helper()
	if errs := validate(valid(), valid()); len(errs) > 0 {
		t.Fatalf("no change is a mistake: %v", errs)
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			object := valid()
			Set(t, object, r.path, r.value)
			want(t, r.want, validate(object, valid()))
		})
	}
}

func want(t *testing.T, places []string, errs field.ErrorList) {
	t.Helper()
	slices.Sort(places)
	if diff := cmp.Diff(places, Fields(errs), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("mistakes (-want +got):\n%s\n%v", diff, errs)
	}
}

// Fields returns the sorted, distinct fields of errors.
func Fields(errs field.ErrorList) []string {
	var places []string
	for _, err := range errs {
		places = append(places, err.Field)
	}
	slices.Sort(places)
	return slices.Compact(places)
}

var step = regexp.MustCompile(`([^.\[\]]+)|\[(\d+)\]`)

// Set writes a value into an object. It creates missing parents.
func Set(t *testing.T, object any, path, value string) {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	var root, leaf any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(value), &leaf); err != nil {
		t.Fatalf("value of %s: %v", path, err)
	}
	root = put(root, step.FindAllStringSubmatch(path, -1), leaf)
	if text, err = json.Marshal(root); err != nil {
		t.Fatal(err)
	}
	reflect.ValueOf(object).Elem().SetZero() // decoding into what is there would keep some of it
	if err := json.Unmarshal(text, object); err != nil {
		t.Fatalf("set %s: %v", path, err)
	}
}

func put(node any, steps [][]string, leaf any) any {
	if len(steps) == 0 {
		return leaf
	}
	if number := steps[0][2]; number != "" {
		list, _ := node.([]any)
		at, _ := strconv.Atoi(number)
		for len(list) <= at {
			list = append(list, map[string]any{})
		}
		list[at] = put(list[at], steps[1:], leaf)
		return list
	}
	fields, _ := node.(map[string]any)
	if fields == nil {
		fields = map[string]any{}
	}
	fields[steps[0][1]] = put(fields[steps[0][1]], steps[1:], leaf)
	return fields
}
