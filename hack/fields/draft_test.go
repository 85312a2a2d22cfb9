package fields

import (
	"go/types"
	"reflect"
	"strings"
	"testing"
)

func TestDraft(t *testing.T) {
	readers, imports, err := Readers("../..")
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := imports.Import(module + "/embedded/apis/core/v1beta1")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"Shoot", "Seed", "CloudProfile", "Project"} {
		walk(t, readers, pkg, kind+" spec", pkg.Scope().Lookup(kind+"Spec").Type(), 0)
	}
}

func walk(t *testing.T, readers map[string][]string, pkg *types.Package, path string, at types.Type, depth int) {
	for {
		if e, ok := at.Underlying().(interface{ Elem() types.Type }); ok {
			at = e.Elem()
			continue
		}
		break
	}
	named, ok := types.Unalias(at).(*types.Named)
	if !ok || named.Obj().Pkg() != pkg || depth > 12 {
		return
	}
	s, ok := named.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i := range s.NumFields() {
		key, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
		inner := path + "." + key
		if key == "" {
			inner = path
		} else if len(readers[pkg.Path()+"."+named.Obj().Name()+"."+s.Field(i).Name()]) == 0 {
			t.Log("UNREAD", inner)
			continue
		}
		walk(t, readers, pkg, inner, s.Field(i).Type(), depth+1)
	}
}
