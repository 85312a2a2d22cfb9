// Package fields finds the fields of the API and of the components' configurations that no code of this project reads.
package fields

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const module = "github.com/gardener-up/gardener-up"

// notReaders are the packages that store, default and validate fields without acting on them, or follow the references in
// them to decide who may read what they name.
var notReaders = append([]string{"/embedded/apis", "/embedded/apivalidation", "/embedded/gardenapi", "/controllers/admissioncontroller/dependency", shared}, configurations...)

// configurations are the packages that define the configuration of a component. The methods of their types, and of the
// types that they share, read fields for those who call the methods.
var configurations = []string{
	"/controllers/admissioncontroller/config", "/controllers/controllermanager/config", "/controllers/gardenlet/config", "/controllers/operator/config", "/controllers/resourcemanager/config", "/controllers/scheduler/config",
}

const shared = "/controllers/internal/componentconfig"

// admission are the parts that read objects to judge others. Seeds, CloudProfiles and Projects have effects there. What they
// read of a Shoot has no effect on the shoot.
var admission = []string{"/embedded/gardenapi/admission"}

type listed struct {
	ImportPath, Dir, Export string
	GoFiles, Imports        []string
}

// Readers says where fields are read and methods are used, by package, type and field or method.
type Readers map[string][]string

// Find returns the readers of all fields, and an importer of the packages that declare them. A field on the left of an
// assignment is not read. The readers in admission come apart from the others.
func Find(dir string) (acting, judging Readers, imports types.Importer, err error) {
	if err := visit(dir); err != nil {
		return nil, nil, nil, err
	}
	cmd := exec.Command("go", "list", "-trimpath", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Imports", "./...")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, nil, fmt.Errorf("go list: %w", err)
	}
	exports := map[string]string{}
	var packages, judges, configs []listed
	for decoder := json.NewDecoder(strings.NewReader(string(out))); decoder.More(); {
		var p listed
		if err := decoder.Decode(&p); err != nil {
			return nil, nil, nil, fmt.Errorf("read output of go list: %w", err)
		}
		exports[p.ImportPath] = p.Export
		below, ours := strings.CutPrefix(p.ImportPath, module)
		switch {
		case ours && below != "" && slices.ContainsFunc(admission, func(room string) bool { return isBelow(below, room) }):
			judges = append(judges, p)
		case ours && (below == shared || slices.Contains(configurations, below)):
			configs = append(configs, p)
		case ours && !slices.ContainsFunc(notReaders, func(room string) bool { return isBelow(below, room) }):
			packages = append(packages, p)
		}
	}
	files := token.NewFileSet()
	imports = importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	if acting, err = readAll(packages, files, imports); err != nil {
		return nil, nil, nil, err
	}
	if err := addMethods(acting, configs, files, imports); err != nil {
		return nil, nil, nil, err
	}
	judging, err = readAll(judges, files, imports)
	return acting, judging, imports, err
}

func isBelow(path, room string) bool { return path == room || strings.HasPrefix(path, room+"/") }

func readAll(packages []listed, files *token.FileSet, imports types.Importer) (Readers, error) {
	readers := Readers{}
	for _, p := range packages {
		err := inspect(p, files, imports, func(file *ast.File, info *types.Info) { read(file, info, files, readers) })
		if err != nil {
			return nil, err
		}
	}
	return readers, nil
}

// inspect type-checks a package and calls visit for each file that is not generated.
func inspect(p listed, files *token.FileSet, imports types.Importer, visit func(*ast.File, *types.Info)) error {
	var syntax []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return err
		}
		syntax = append(syntax, file)
	}
	info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}, Defs: map[*ast.Ident]types.Object{}}
	if _, err := (&types.Config{Importer: imports}).Check(p.ImportPath, files, syntax, info); err != nil {
		return err
	}
	for _, file := range syntax {
		if !ast.IsGenerated(file) {
			visit(file, info)
		}
	}
	return nil
}

// read notes the fields and methods that a part of a file selects.
func read(part ast.Node, info *types.Info, files *token.FileSet, readers Readers) {
	written := map[ast.Expr]bool{}
	ast.Inspect(part, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.AssignStmt:
			for _, left := range node.Lhs {
				written[left] = node.Tok == token.ASSIGN
			}
		case *ast.SelectorExpr:
			selection, key := info.Selections[node], ""
			if selection != nil && !written[node] && selection.Kind() == types.FieldVal {
				key = owner(selection)
			} else if selection != nil && selection.Kind() == types.MethodVal {
				key = methodName(selection.Obj().(*types.Func))
			}
			if key != "" {
				readers[key] = append(readers[key], files.Position(node.Pos()).String())
			}
		}
		return true
	})
}

// owner names the struct that declares the selected field and the field.
func owner(selection *types.Selection) string {
	at := selection.Recv()
	for n, index := range selection.Index() {
		if pointer, ok := types.Unalias(at).Underlying().(*types.Pointer); ok {
			at = pointer.Elem()
		}
		structure, ok := at.Underlying().(*types.Struct)
		if !ok {
			return ""
		}
		field := structure.Field(index)
		if n == len(selection.Index())-1 {
			if named, ok := types.Unalias(at).(*types.Named); ok && named.Obj().Pkg() != nil {
				return named.Obj().Pkg().Path() + "." + named.Obj().Name() + "." + field.Name()
			}
		}
		at = field.Type()
	}
	return ""
}

// visit reads all directories of the module. The go command caches the result of a test until a file changes that the test
// itself has read. It does not notice files that go list reads.
func visit(dir string) error {
	return filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "bin") {
			return filepath.SkipDir
		}
		return err
	})
}
