package circles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/hack/typecheck"
)

const root = "../.."

// sources are the files of a package without those of its tests.
func sources(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if name := entry.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			names = append(names, name)
		}
	}
	return names
}

func TestCirclesAreFound(t *testing.T) {
	imports, err := typecheck.Imports(root, "slices", "sync/atomic", "time")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"a function and a type": {map[string]string{
			"a.go": "type A int\n\nfunc New() A { return b() }",
			"b.go": "func b() A { return 1 }",
		}, []string{"a.go:5 uses b of b.go", "b.go:3 uses A of a.go"}},
		"a method that the file of its type calls": {map[string]string{
			"a.go": "type A struct{}\n\nfunc (a A) Do() { a.help() }",
			"b.go": "func (a A) help() {}",
		}, []string{"a.go:5 uses help of b.go", "b.go:3 uses A of a.go"}},
		"a field": {map[string]string{
			"a.go": "type A struct{ b B; n int }",
			"b.go": "type B struct{ of func() *C }\n\nfunc n(b B) int { return b.of().a.n }",
			"c.go": "type C struct{ a A }",
		}, []string{"a.go:3 uses B of b.go", "b.go:5 uses n of a.go", "b.go:3 uses C of c.go", "b.go:5 uses a of c.go", "c.go:3 uses A of a.go"}},
		"three files": {map[string]string{
			"a.go": "func a() { b() }", "b.go": "func b() { c() }", "c.go": "func c() { a() }", "d.go": "func d() { a() }",
		}, []string{"a.go:3 uses b of b.go", "b.go:3 uses c of c.go", "c.go:3 uses a of a.go"}},
		"through an embedded type": {map[string]string{
			"a.go": "import \"time\"\n\ntype A struct{ *B; time.Time }\n\nfunc (a A) Do() { a.help() }",
			"b.go": "type B struct{ do func(A) }\n\nfunc (b *B) help() {}",
		}, []string{"a.go:5 uses B of b.go", "a.go:7 uses help of b.go", "b.go:3 uses A of a.go"}},
		"a type argument of an imported type": {map[string]string{
			"a.go": "import \"sync/atomic\"\n\ntype A struct{ b atomic.Pointer[B] }",
			"b.go": "type B struct{ a *A }",
		}, []string{"a.go:5 uses B of b.go", "b.go:3 uses A of a.go"}},
		"a method of what an imported function returns": {map[string]string{
			"a.go": "import \"slices\"\n\nfunc a() { slices.Clone(b())[0].c() }",
			"b.go": "func b() []C { return nil }",
			"c.go": "type C int\n\nfunc (C) c() { a() }",
		}, []string{"a.go:5 uses b of b.go", "a.go:5 uses c of c.go", "b.go:3 uses C of c.go", "c.go:5 uses a of a.go"}},
		"downwards": {map[string]string{
			"a.go": "func a() { b() }", "b.go": "func b() { c() }", "c.go": "func c() {}",
		}, nil},
		"a local variable of the same name": {map[string]string{
			"a.go": "func a() { b() }", "b.go": "func b() { a := 1; _ = a }",
		}, nil},
		"a test": {map[string]string{
			"a.go": "func a() { b() }", "b.go": "func b() {}", "b_test.go": "func c() { a() }",
		}, nil},
		"a file for another system": {map[string]string{
			"a.go": "func a() { b() }", "b_linux.go": "func b() {}", "b_darwin.go": "func b() { a() }",
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range tc.files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte("package a\n\n"+text+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			p, err := typecheck.Read(dir, imports)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range In(p) {
				got = append(got, r.String())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("references in circles (-want +got):\n%s", diff)
			}
		})
	}
}

// mostFiles is how many files the package of the appliance may have: it reads as the table of contents of a landscape.
const mostFiles = 8

func TestTheApplianceIsATableOfContents(t *testing.T) {
	files := sources(t, filepath.Join(root, "appliance"))
	if len(files) == 0 {
		t.Fatal("appliance has no files: this rule cannot fail")
	}
	if len(files) > mostFiles {
		t.Errorf("appliance has %d files, more than %d: move some into the rooms below it: %v", len(files), mostFiles, files)
	}
}
