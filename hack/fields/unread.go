package fields

import (
	"go/types"
	"reflect"
	"slices"
	"strings"
)

// Unread returns the JSON paths below a struct whose fields have no reader, in the order of the fields. "[]" follows the key of a
// list. Below a field without reader nothing is listed. Only structs of the package of the first one
// and those that configurations share are looked into.
func Unread(root types.Type, path string, readers ...Readers) []string {
	var unread []string
	walk(root, path, named(root).Obj().Pkg(), nil, func(f field) bool {
		if isRead(f.key, readers) {
			return true
		}
		unread = append(unread, f.path)
		return false
	})
	return unread
}

// Wrong returns the JSON paths below the struct of a configuration whose tag effect contradicts the readers: fields without
// reader that are not tagged as without effect, and fields with a reader that are.
func Wrong(root types.Type, readers Readers) (untagged, tagged []string) {
	walk(root, "", named(root).Obj().Pkg(), nil, func(f field) bool {
		none, read := f.tag.Get("effect") == "none", isRead(f.key, []Readers{readers})
		switch path := strings.TrimPrefix(f.path, "."); {
		case !none && !read:
			untagged = append(untagged, path)
		case none && read:
			tagged = append(tagged, path)
		}
		return read && !none
	})
	return untagged, tagged
}

type field struct {
	path, key string // in JSON; in Readers
	tag       reflect.StructTag
}

// walk calls visit for the fields below a type, and looks below a field if visit returns true.
func walk(at types.Type, path string, pkg *types.Package, above []*types.Named, visit func(field) bool) {
	at, list := element(at)
	owner := named(at)
	if owner == nil || !covers(pkg, owner) || slices.Contains(above, owner) { // or a type that contains itself
		return
	}
	structure, ok := owner.Underlying().(*types.Struct)
	if !ok {
		return
	}
	if list {
		path += "[]"
	}
	for i := range structure.NumFields() {
		tag := reflect.StructTag(structure.Tag(i))
		key, _, _ := strings.Cut(tag.Get("json"), ",")
		declared, inner := structure.Field(i), path+"."+key
		if !declared.Exported() {
			continue
		}
		if key == "" || key == "-" {
			inner = path
		} else if !visit(field{inner, owner.Obj().Pkg().Path() + "." + owner.Obj().Name() + "." + declared.Name(), tag}) {
			continue
		}
		walk(declared.Type(), inner, pkg, append(above, owner), visit)
	}
}

func covers(pkg *types.Package, owner *types.Named) bool {
	of := owner.Obj().Pkg()
	return of != nil && (of == pkg || of.Path() == module+shared)
}

func isRead(field string, readers []Readers) bool {
	for _, r := range readers {
		if len(r[field]) > 0 {
			return true
		}
	}
	return false
}

// element follows pointers, lists and maps to what they contain.
func element(at types.Type) (_ types.Type, list bool) {
	for {
		switch t := types.Unalias(at).Underlying().(type) {
		case *types.Pointer:
			at = t.Elem()
		case *types.Slice:
			at, list = t.Elem(), true
		case *types.Map:
			at = t.Elem()
		default:
			return at, list
		}
	}
}

func named(at types.Type) *types.Named {
	n, _ := types.Unalias(at).(*types.Named)
	return n
}
