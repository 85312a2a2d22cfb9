// Package methods counts the methods of types. hack/guards limits them: a type with many methods hides who reads what. No other package uses it.
package methods

import (
	"fmt"
	"go/types"
	"maps"
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
var rooms = []string{"appliance", "cmd", "controllers", "embedded", "local", "providers"}

// most is how many methods a type of these rooms may have.
const most = 25

// larger are the types that have more methods and are still to be split, with how many each may have until then.
var larger = map[string]int{
	"cmd/gardener/app.landscape":                              26,
	"cmd/gardener/app.supportSources":                         32,
	"controllers/gardenlet/controllerinstallation.Reconciler": 26,
	"controllers/machine/lifecycle.Reconciler":                26,
	"controllers/operator/deployed.Inputs":                    27,
	"controllers/operator/deployed.credentials":               53,
	"controllers/operator/deployed.gardener":                  79,
	"controllers/operator/deployed.run":                       64,
	"controllers/operator/deployed.writer":                    45,
	"embedded/backuprestore/snapshotter.session":              37,
	"embedded/node/runtime.Runtime":                           66,
	"embedded/node/runtime.streamer":                          67,
	"embedded/sandbox/podnet.Network":                         26,
	"local/cluster.Cluster":                                   30,
	"local/containers.Engine":                                 26,
	"local/host.Reconciler":                                   28,
}

// Check returns a complaint for each type of the rooms that has too many methods.
func Check(m *typecheck.Module) (complaints []string, err error) {
	counted, left := 0, maps.Clone(larger)
	for _, listed := range m.Below(rooms...) {
		p, err := m.Read(listed)
		if err != nil {
			return nil, err
		}
		for _, found := range In(p) {
			counted += len(found.Methods)
			name := listed.Short() + "." + found.Name
			for _, complaint := range found.complaints(larger[name]) {
				complaints = append(complaints, listed.Short()+": "+complaint)
			}
			delete(left, name)
		}
	}
	for name := range left {
		complaints = append(complaints, name+" does not exist: remove its exception")
	}
	if counted < 1000 {
		complaints = append(complaints, fmt.Sprintf("%d methods were found: this rule cannot fail", counted))
	}
	return complaints, nil
}

// complaints are those about a type that may have more methods than others if exception is not 0.
func (t Type) complaints(exception int) []string {
	switch count := len(t.Methods); {
	case exception != 0 && count <= most:
		return []string{fmt.Sprintf("%s has %d methods only: remove its exception", t.Name, count)}
	case count > max(most, exception):
		return []string{fmt.Sprintf("%s has %d methods with those of embedded types, more than %d: split it, or embed less: %s",
			t.Name, count, max(most, exception), strings.Join(t.Methods, " "))}
	}
	return nil
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
