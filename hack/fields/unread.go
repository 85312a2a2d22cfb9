package fields

import (
	"go/types"
	"reflect"
	"strings"
)

// Unread returns the JSON paths below a struct whose fields have no reader, in the order of the fields. "[]" follows the key of a
// list. Below a field without reader nothing is listed. Only structs of the package of the first one are looked into.
func Unread(root types.Type, path string, readers ...Readers) []string {
	return walk(root, path, named(root).Obj().Pkg(), readers, nil)
}

func walk(at types.Type, path string, pkg *types.Package, readers []Readers, above []*types.Named) []string {
	at, list := element(at)
	owner := named(at)
	if owner == nil || owner.Obj().Pkg() != pkg {
		return nil
	}
	structure, ok := owner.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for _, seen := range above {
		if seen == owner {
			return nil // a type that contains itself
		}
	}
	if list {
		path += "[]"
	}
	var unread []string
	for i := range structure.NumFields() {
		key, _, _ := strings.Cut(reflect.StructTag(structure.Tag(i)).Get("json"), ",")
		field, inner := structure.Field(i), path+"."+key
		if key == "" || key == "-" {
			inner = path
		} else if !isRead(pkg.Path()+"."+owner.Obj().Name()+"."+field.Name(), readers) {
			unread = append(unread, inner)
			continue
		}
		unread = append(unread, walk(field.Type(), inner, pkg, readers, append(above, owner))...)
	}
	return unread
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
