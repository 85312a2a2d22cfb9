// Package methods counts the methods of types. Its test limits them in the rooms that compose the most: a type with many methods hides who
// reads what. No other package uses it.
package methods

import (
	"go/types"
	"slices"
	"strings"

	"github.com/gardener-up/gardener-up/hack/typecheck"
)

// module is this one.
const module = "github.com/gardener-up/gardener-up/"

// Type is a type with the methods that its package can call.
type Type struct {
	Name    string
	Methods []string // sorted
}

// In returns the types of the package in dir, sorted by name. Their methods include those of embedded types, unless another module declares
// them.
func In(dir string, imports types.Importer) ([]Type, error) {
	p, err := typecheck.Read(dir, imports)
	if err != nil {
		return nil, err
	}
	var all []Type
	for _, name := range p.Types.Scope().Names() { // sorted
		declared, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
		if !ok || declared.IsAlias() {
			continue
		}
		all = append(all, Type{Name: name, Methods: methods(declared.Type(), p.Types)})
	}
	return all, nil
}

func methods(of types.Type, in *types.Package) (names []string) {
	if !types.IsInterface(of) {
		of = types.NewPointer(of)
	}
	for method := range types.NewMethodSet(of).Methods() {
		object := method.Obj()
		switch {
		case object.Pkg() == in:
		case object.Pkg() == nil || !strings.HasPrefix(object.Pkg().Path(), module) || !object.Exported():
			continue
		}
		names = append(names, object.Name())
	}
	slices.Sort(names)
	return names
}
