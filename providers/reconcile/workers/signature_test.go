package workers_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryControllerIsAddedInTheSameWay(t *testing.T) {
	found := 0
	for _, room := range []string{"controllers", "local", "providers"} {
		err := filepath.WalkDir(filepath.Join("../../..", room), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, problem := range deviations(file) {
				t.Errorf("%s: %s", path, problem)
			}
			for _, declaration := range file.Decls {
				if f, ok := declaration.(*ast.FuncDecl); ok && f.Name.Name == "AddToManager" {
					found++
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 50 {
		t.Errorf("found %d functions AddToManager only", found)
	}
}

func TestDeviationsAreFound(t *testing.T) {
	source := `package p
func AddToManager(mgr manager.Manager, dir string) error
func (r *Reconciler) AddToManager(mgr manager.Manager, concurrency int) error
func (r *Other) AddToManager(mgr manager.Manager, options workers.Options) error { _ = controller.Options{} }
func (r *Third) AddToManager(mgr manager.Manager, options workers.Options) { _ = controller.TypedOptions[R]{} }
`
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if got := deviations(file); len(got) != 5 {
		t.Errorf("found %d deviations, want 5: %q", len(got), got)
	}
}

// deviations of a file from the two forms of AddToManager and from options of controllers that are made in one place.
func deviations(file *ast.File) []string {
	own := file.Name.Name == "workers"
	var all []string
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			want := "func(manager.Manager, Config) error"
			if node.Recv != nil {
				want = "func(manager.Manager, workers.Options) error"
			}
			if node.Name.Name == "AddToManager" && signature(node.Type) != want {
				all = append(all, "AddToManager is "+signature(node.Type)+", not "+want)
			}
		case *ast.CompositeLit:
			made := types.ExprString(node.Type)
			if !own && (made == "controller.Options" || strings.HasPrefix(made, "controller.TypedOptions")) {
				all = append(all, "make options of controllers by workers.Options")
			}
		}
		return true
	})
	return all
}

// signature without the names of parameters.
func signature(f *ast.FuncType) string {
	var parameters []string
	for _, field := range f.Params.List {
		for range max(len(field.Names), 1) {
			parameters = append(parameters, types.ExprString(field.Type))
		}
	}
	result := ""
	if f.Results != nil {
		result = " " + types.ExprString(f.Results.List[0].Type)
	}
	return "func(" + strings.Join(parameters, ", ") + ")" + result
}
