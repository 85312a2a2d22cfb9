// Package fields finds the fields of the API and of the components' configurations that no code of this project reads.
package fields

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gardener-up/gardener-up/hack/typecheck"
)

const module = typecheck.Path

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

// Readers says where fields are read and methods are used, by package, type and field or method.
type Readers map[string][]string

// Find returns the readers of all fields. A field on the left of an assignment is not read. The readers in admission come apart from the
// others.
func Find(m *typecheck.Module) (acting, judging Readers, err error) {
	var packages, judges, configs []typecheck.Listed
	for _, p := range m.All {
		if p.Short() == "" {
			continue
		}
		switch below := "/" + p.Short(); {
		case slices.ContainsFunc(admission, func(room string) bool { return isBelow(below, room) }):
			judges = append(judges, p)
		case below == shared || slices.Contains(configurations, below):
			configs = append(configs, p)
		case !slices.ContainsFunc(notReaders, func(room string) bool { return isBelow(below, room) }):
			packages = append(packages, p)
		}
	}
	if acting, err = readAll(packages, m); err != nil {
		return nil, nil, err
	}
	if err := addMethods(acting, configs, m); err != nil {
		return nil, nil, err
	}
	judging, err = readAll(judges, m)
	return acting, judging, err
}

func isBelow(path, room string) bool { return path == room || strings.HasPrefix(path, room+"/") }

func readAll(packages []typecheck.Listed, m *typecheck.Module) (Readers, error) {
	readers := Readers{}
	for _, listed := range packages {
		err := inspect(listed, m, func(file *ast.File, p *typecheck.Package) { read(file, p, readers) })
		if err != nil {
			return nil, err
		}
	}
	return readers, nil
}

// inspect calls visit for each file of a package that is not generated.
func inspect(listed typecheck.Listed, m *typecheck.Module, visit func(*ast.File, *typecheck.Package)) error {
	p, err := m.Read(listed)
	if err != nil {
		return err
	}
	for _, file := range p.Files {
		if !ast.IsGenerated(file) {
			visit(file, p)
		}
	}
	return nil
}

// read notes the fields and methods that a part of a file selects.
func read(part ast.Node, p *typecheck.Package, readers Readers) {
	written := map[ast.Expr]bool{}
	ast.Inspect(part, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.AssignStmt:
			for _, left := range node.Lhs {
				written[left] = node.Tok == token.ASSIGN
			}
		case *ast.SelectorExpr:
			selection, key := p.Info.Selections[node], ""
			if selection != nil && !written[node] && selection.Kind() == types.FieldVal {
				key = owner(selection)
			} else if selection != nil && selection.Kind() == types.MethodVal {
				key = methodName(selection.Obj().(*types.Func))
			}
			if key != "" {
				readers[key] = append(readers[key], p.Set.Position(node.Pos()).String())
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
