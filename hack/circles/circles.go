// Package circles finds files of one package that refer to each other in a circle. hack/guards checks the rooms whose
// files read from top to bottom. No other package uses it.
//
// A file refers to the file that declares an identifier of the package which it uses: a function, type, variable or
// constant, a field or a method. So the file of a method refers to the file of its receiver's type, and a call of a
// method refers to the file of the method. Local variables do not count, nor do test files. The types of imported packages are known.
package circles

import (
	"fmt"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gardener-up/gardener-up/hack/typecheck"
)

// Reference says that the file From uses Name, which the file To declares.
type Reference struct {
	From, To string // base names
	Line     int    // of the first use in From
	Name     string
}

func (r Reference) String() string {
	return fmt.Sprintf("%s:%d uses %s of %s", r.From, r.Line, r.Name, r.To)
}

// rooms whose files refer to each other downwards only.
var rooms = []string{"appliance", "controllers/gardenlet/shoot"}

// Check returns a complaint for each reference in a circle, in the rooms.
func Check(m *typecheck.Module) (complaints []string, err error) {
	packages := m.Below(rooms...)
	for _, listed := range packages {
		p, err := m.Read(listed)
		if err != nil {
			return nil, err
		}
		for _, r := range In(p) {
			complaints = append(complaints, fmt.Sprintf("%s: %s, in a circle: move a declaration", listed.Short(), r))
		}
	}
	if len(packages) < 100 {
		complaints = append(complaints, fmt.Sprintf("%d packages were found: this rule cannot fail", len(packages)))
	}
	return complaints, nil
}

// In returns the references between files of the package that are part of a circle.
func In(p *typecheck.Package) []Reference { return inCircles(references(p)) }

// references between the files, sorted, one for each identifier of another file.
func references(p *typecheck.Package) []Reference {
	found := map[Reference]int{} // lines by the rest
	for used, object := range p.Info.Uses {
		if object.Pkg() != p.Types || !shared(object, p.Types) {
			continue
		}
		from, to := p.Set.Position(used.Pos()), p.Set.Position(object.Pos())
		if from.Filename == to.Filename {
			continue
		}
		r := Reference{From: filepath.Base(from.Filename), To: filepath.Base(to.Filename), Name: used.Name}
		if line, known := found[r]; !known || from.Line < line {
			found[r] = from.Line
		}
	}
	var all []Reference
	for r, line := range found {
		r.Line = line
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Reference) int {
		return strings.Compare(fmt.Sprintf("%s %s %6d %s", a.From, a.To, a.Line, a.Name), fmt.Sprintf("%s %s %6d %s", b.From, b.To, b.Line, b.Name))
	})
	return all
}

// shared reports whether other files can use an object: it is a method, a field or declared by the package.
func shared(object types.Object, in *types.Package) bool {
	switch o := object.(type) {
	case *types.Func:
		return true
	case *types.Var:
		return o.IsField() || o.Parent() == in.Scope()
	}
	return object.Parent() == in.Scope()
}

// inCircles keeps the references whose target leads back to where they come from.
func inCircles(all []Reference) []Reference {
	next := map[string]map[string]bool{}
	for _, r := range all {
		if next[r.From] == nil {
			next[r.From] = map[string]bool{}
		}
		next[r.From][r.To] = true
	}
	leads := func(from, to string) bool {
		seen, open := map[string]bool{from: true}, []string{from}
		for len(open) > 0 {
			file := open[len(open)-1]
			open = open[:len(open)-1]
			if file == to {
				return true
			}
			for _, further := range slices.Sorted(maps.Keys(next[file])) {
				if !seen[further] {
					seen[further] = true
					open = append(open, further)
				}
			}
		}
		return false
	}
	return slices.DeleteFunc(slices.Clone(all), func(r Reference) bool { return !leads(r.To, r.From) })
}
