package methods

import (
	"errors"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/hack/typecheck"
)

func TestMethodsAreLimited(t *testing.T) {
	for _, tc := range []struct {
		methods, exception int
		want               string
	}{
		{methods: most},
		{methods: most + 1, want: "A has 26 methods with those of embedded types, more than 25"},
		{methods: 30, exception: 30},
		{methods: 31, exception: 30, want: "A has 31 methods with those of embedded types, more than 30"},
		{methods: most, exception: 30, want: "A has 25 methods only: remove its exception"},
	} {
		got := strings.Join((Type{Name: "A", Methods: make([]string, tc.methods)}).complaints(tc.exception), "\n")
		if !strings.HasPrefix(got, tc.want) || tc.want == "" && got != "" {
			t.Errorf("%d methods, exception %d: %q, want %q", tc.methods, tc.exception, got, tc.want)
		}
	}
}

func TestMethodsAreCounted(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want []Type
	}{
		"of a value and of a pointer": {"type A int\n\nfunc (A) B() {}\n\nfunc (*A) c() {}", []Type{{"A", []string{"B", "c"}}}},
		"of an embedded type": {"type A struct{ *B }\n\nfunc (A) a() {}\n\ntype B struct{ C }\n\nfunc (B) b() {}\n\ntype C int\n\nfunc (*C) c() {}",
			[]Type{{"A", []string{"a", "b", "c"}}, {"B", []string{"b", "c"}}, {"C", []string{"c"}}}},
		"of a field":                  {"type A struct{ b B }\n\ntype B int\n\nfunc (B) b() {}", []Type{{Name: "A"}, {"B", []string{"b"}}}},
		"a method that hides another": {"type A struct{ B }\n\nfunc (A) b() {}\n\ntype B int\n\nfunc (B) b() {}", []Type{{"A", []string{"b"}}, {"B", []string{"b"}}}},
		"of an interface":             {"type A interface{ B; a() }\n\ntype B interface{ b() }", []Type{{"A", []string{"a", "b"}}, {"B", []string{"b"}}}},
		"of a generic type":           {"type A[T any] struct{ B[T] }\n\ntype B[T any] struct{}\n\nfunc (B[T]) b() {}", []Type{{"A", []string{"b"}}, {"B", []string{"b"}}}},
		"of a type of this module":    {"import \"" + typecheck.Path + "/other\"\n\ntype A struct{ *other.Other }", []Type{{"A", []string{"Exported"}}}},
		"of a type of another module": {"import \"example.org/other\"\n\ntype A struct{ *other.Other }", []Type{{Name: "A"}}},
		"an alias adds nothing":       {"type A = B\n\ntype B int\n\nfunc (B) b() {}", []Type{{"B", []string{"b"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\n"+tc.text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := typecheck.Read(dir, others{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, In(p)); diff != "" {
				t.Errorf("types (-want +got):\n%s", diff)
			}
		})
	}
}

// others imports packages named other, with a type that has two methods.
type others struct{}

func (others) Import(path string) (*types.Package, error) {
	if !strings.HasSuffix(path, "/other") {
		return nil, errors.New("unknown package")
	}
	p := types.NewPackage(path, "other")
	named := types.NewNamed(types.NewTypeName(0, p, "Other", nil), types.NewStruct(nil, nil), nil)
	for _, name := range []string{"Exported", "hidden"} {
		receiver := types.NewVar(0, p, "", named)
		named.AddMethod(types.NewFunc(0, p, name, types.NewSignatureType(receiver, nil, nil, nil, nil, false)))
	}
	p.Scope().Insert(named.Obj())
	p.MarkComplete()
	return p, nil
}
