// Package methods counts the methods of types. hack/guards limits them in the rooms that compose the most: a type with many methods hides
// who reads what. No other package uses it.
package methods

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/gardener-up/gardener-up/hack/typecheck"
)

// Type is a type with the methods that its package can call.
type Type struct {
	Name    string
	Methods []string // sorted
}

// rooms whose types are limited.
var rooms = []string{"appliance", "controllers/gardenlet/shoot", "controllers/resourcemanager", "embedded/imagestore"}

// most is how many methods a type of these rooms may have.
const most = 25

// Check returns a complaint for each type of the rooms that has too many methods.
func Check(m *typecheck.Module) (complaints []string, err error) {
	counted := 0
	for _, listed := range m.Below(rooms...) {
		p, err := m.Read(listed)
		if err != nil {
			return nil, err
		}
		for _, found := range In(p) {
			counted += len(found.Methods)
			if complaint := found.tooMany(); complaint != "" {
				complaints = append(complaints, listed.Short()+": "+complaint)
			}
		}
	}
	if counted < 1000 {
		complaints = append(complaints, fmt.Sprintf("%d methods were found: this rule cannot fail", counted))
	}
	return complaints, nil
}

// tooMany is empty if the type has no more methods than it may have.
func (t Type) tooMany() string {
	if len(t.Methods) <= most {
		return ""
	}
	return fmt.Sprintf("%s has %d methods with those of embedded types, more than %d: split it, or embed less: %s",
		t.Name, len(t.Methods), most, strings.Join(t.Methods, " "))
}

// In returns the types of the package, sorted by name. Their methods include those of embedded types, unless another module declares them.
func In(p *typecheck.Package) (all []Type) {
	for _, name := range p.Types.Scope().Names() { // sorted
		declared, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
		if !ok || declared.IsAlias() {
			continue
		}
		all = append(all, Type{Name: name, Methods: methods(declared.Type(), p.Types)})
	}
	return all
}

func methods(of types.Type, in *types.Package) (names []string) {
	if !types.IsInterface(of) {
		of = types.NewPointer(of)
	}
	for method := range types.NewMethodSet(of).Methods() {
		object := method.Obj()
		switch {
		case object.Pkg() == in:
		case object.Pkg() == nil || !strings.HasPrefix(object.Pkg().Path(), typecheck.Path+"/") || !object.Exported():
			continue
		}
		names = append(names, object.Name())
	}
	slices.Sort(names)
	return names
}
