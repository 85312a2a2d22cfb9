package fields

import (
	"go/ast"
	"go/types"
	"maps"

	"github.com/gardener-up/gardener-up/hack/typecheck"
)

// addMethods adds what the methods of configurations read, if a reader uses the method.
func addMethods(readers Readers, configs []typecheck.Listed, m *typecheck.Module) error {
	methods := map[string]Readers{}
	for _, listed := range configs {
		err := inspect(listed, m, func(file *ast.File, p *typecheck.Package) {
			for _, declared := range file.Decls {
				if function, ok := declared.(*ast.FuncDecl); ok && function.Recv != nil {
					inside := Readers{}
					read(function, p, inside)
					methods[methodName(p.Info.Defs[function.Name].(*types.Func))] = inside
				}
			}
		})
		if err != nil {
			return err
		}
	}
	for added := true; added; { // methods call methods
		added = false
		for name, inside := range maps.All(methods) {
			if len(readers[name]) == 0 {
				continue
			}
			delete(methods, name)
			for key, places := range inside {
				readers[key] = append(readers[key], places...)
			}
			added = true
		}
	}
	return nil
}

// methodName names the type and the method. It is empty for methods of interfaces and of types without a name.
func methodName(method *types.Func) string {
	receiver := method.Signature().Recv().Type()
	if pointer, ok := types.Unalias(receiver).(*types.Pointer); ok {
		receiver = pointer.Elem()
	}
	of := named(receiver)
	if of == nil || of.Obj().Pkg() == nil {
		return ""
	}
	return of.Obj().Pkg().Path() + "." + of.Obj().Name() + "." + method.Name() + "()"
}
