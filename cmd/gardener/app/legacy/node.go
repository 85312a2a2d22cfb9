package legacy

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// document is an object or a part of it.
type document = map[string]any

// node is a part of a document that is read field by field. What is read is taken away; what is left in the end has no
// successor.
type node struct {
	fields document
	path   *field.Path
	run    *run
}

// run is the conversion of one object.
type run struct {
	nodes []node
	errs  field.ErrorList
	notes []string
}

func (r *run) node(fields document, path *field.Path) node {
	n := node{fields, path, r}
	r.nodes = append(r.nodes, n)
	return n
}

// leftovers reports the fields that no conversion has read.
func (r *run) leftovers() {
	for _, n := range r.nodes {
		for _, key := range slices.Sorted(maps.Keys(n.fields)) {
			r.errs = append(r.errs, field.Forbidden(n.at(key), "cannot be converted"))
		}
	}
}

func (n node) at(key string) *field.Path {
	if n.path == nil {
		return field.NewPath(key)
	}
	return n.path.Child(key)
}

func (n node) has(key string) bool { return n.fields[key] != nil }

// take returns a field of any type; nil if there is none.
func (n node) take(key string) any {
	value := n.fields[key]
	delete(n.fields, key)
	return value
}

// move takes a field over to where it goes, unless there is none.
func (n node) move(key string, to document, name string) {
	if value := n.take(key); value != nil {
		to[name] = value
	}
}

// refuse reports a field that cannot be converted for a reason.
func (n node) refuse(key, reason string) {
	delete(n.fields, key)
	n.run.errs = append(n.run.errs, field.Forbidden(n.at(key), reason))
}

// leaveOut notes a field that has lost its meaning.
func (n node) leaveOut(key, reason string) {
	if n.take(key) != nil {
		n.run.notes = append(n.run.notes, fmt.Sprintf("%s is left out: %s", n.at(key), reason))
	}
}

func taken[T any](n node, key, what string) (value T) {
	switch got := n.take(key).(type) {
	case nil:
	case T:
		value = got
	default:
		n.run.errs = append(n.run.errs, field.Invalid(n.at(key), got, "must be "+what))
	}
	return value
}

func (n node) text(key string) string { return taken[string](n, key, "a text") }
func (n node) flag(key string) bool   { return taken[bool](n, key, "true or false") }

// part is a field with fields of its own, without any if it is missing.
func (n node) part(key string) node {
	fields := taken[document](n, key, "a mapping")
	if fields == nil {
		fields = document{}
	}
	return n.run.node(fields, n.at(key))
}

// parts are the elements of a list.
func (n node) parts(key string) []node {
	var all []node
	for i, one := range taken[[]any](n, key, "a list") {
		fields, ok := one.(document)
		if !ok {
			n.run.errs = append(n.run.errs, field.Invalid(n.at(key).Index(i), one, "must be a mapping"))
			continue
		}
		all = append(all, n.run.node(fields, n.at(key).Index(i)))
	}
	return all
}

func (n node) texts(key string) []string {
	var all []string
	for i, one := range taken[[]any](n, key, "a list") {
		text, ok := one.(string)
		if !ok {
			n.run.errs = append(n.run.errs, field.Invalid(n.at(key).Index(i), one, "must be a text"))
		}
		all = append(all, text)
	}
	return all
}

// set writes what is not empty.
func set(to document, key string, value any) {
	switch v := value.(type) {
	case string:
		if v == "" {
			return
		}
	case document:
		if len(v) == 0 {
			return
		}
	case []any:
		if len(v) == 0 {
			return
		}
	}
	to[key] = value
}

func anyTexts(texts []string) []any {
	all := make([]any, len(texts))
	for i, one := range texts {
		all[i] = one
	}
	return all
}
