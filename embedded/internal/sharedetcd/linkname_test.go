package sharedetcd

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// factory is the package whose variable newClient stands for.
const factory = "k8s.io/apiserver/pkg/storage/storagebackend/factory"

// The compiler does not compare types across go:linkname. A variable of another type would be called with the wrong
// arguments, and a variable that is gone would be nil.
func TestLinkedVariable(t *testing.T) {
	t.Run("it is the variable of the library", func(t *testing.T) {
		if newClient == nil {
			t.Fatalf("nothing is linked: %s has no such variable any more", factory)
		}
		if name := runtime.FuncForPC(reflect.ValueOf(newClient).Pointer()).Name(); !strings.HasPrefix(name, factory+".") {
			t.Errorf("newClient is %s, want a function of %s", name, factory)
		}
	})
	t.Run("it has the type that the library declares", func(t *testing.T) {
		ours, theirs := declared(t, ".", "newClient"), declared(t, sourceOf(t, factory), "newETCD3Client")
		if ours != theirs {
			t.Errorf("types of the linked variable differ: change newClient and all its users\nhere:    %s\nlibrary: %s", ours, theirs)
		}
	})
}

// sourceOf returns the directory of a package, at the version that go.mod pins.
func sourceOf(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		t.Fatalf("find the source of %s: %v", path, err)
	}
	return strings.TrimSpace(string(out))
}

// declared returns the type of a package variable that holds a function, with the full paths of packages.
func declared(t *testing.T, dir, name string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if function := functionIn(parsed, name); function != nil {
			return signature(parsed, function)
		}
	}
	t.Fatalf("no file of %s declares a variable %s that holds a function", dir, name)
	return ""
}

// functionIn returns the type of a variable, from its declaration or from the function it is set to.
func functionIn(file *ast.File, name string) (found *ast.FuncType) {
	for _, declaration := range file.Decls {
		group, _ := declaration.(*ast.GenDecl)
		if group == nil || group.Tok != token.VAR {
			continue
		}
		for _, spec := range group.Specs {
			variable := spec.(*ast.ValueSpec)
			if variable.Names[0].Name != name {
				continue
			}
			if function, is := variable.Type.(*ast.FuncType); is {
				return function
			}
			if len(variable.Values) == 1 {
				if function, is := variable.Values[0].(*ast.FuncLit); is {
					return function.Type
				}
			}
		}
	}
	return nil
}

// signature writes a function type without the names of its parameters.
func signature(file *ast.File, function *ast.FuncType) string {
	list := func(fields *ast.FieldList) string {
		var out []string
		for _, field := range fields.List {
			text := qualified(file, field.Type)
			out = append(out, text)
			for range max(0, len(field.Names)-1) {
				out = append(out, text)
			}
		}
		return strings.Join(out, ", ")
	}
	results := ""
	if function.Results != nil {
		results = list(function.Results)
	}
	return fmt.Sprintf("func(%s) (%s)", list(function.Params), results)
}

// qualified writes a type with the path of its package in place of the local name.
func qualified(file *ast.File, of ast.Expr) string {
	text := types.ExprString(of)
	bare := strings.TrimLeft(text, "*[]")
	local, name, found := strings.Cut(bare, ".")
	if !found {
		return text
	}
	for _, imported := range file.Imports {
		importPath := strings.Trim(imported.Path.Value, `"`)
		if imported.Name != nil && imported.Name.Name == local || imported.Name == nil && path.Base(importPath) == local {
			return strings.TrimSuffix(text, bare) + importPath + "." + name
		}
	}
	return text
}
