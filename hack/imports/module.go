package imports

import (
	"slices"
	"strings"

	"github.com/gardener-up/gardener-up/hack/typecheck"
)

// Package is a package of this module.
type Package struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
	LinksKubernetes                    bool // apart from its tests
}

const module = typecheck.Path

// short writes packages of this module as "./room/package" and leaves other paths unchanged.
func short(path string) string {
	if below, ours := strings.CutPrefix(path, module); ours && (below == "" || below[0] == '/') {
		return "." + below
	}
	return path
}

// imports of the package, including those of its tests.
func (p Package) imports() []Import {
	var all []Import
	for _, to := range p.Imports {
		all = append(all, Import{From: short(p.ImportPath), To: short(to)})
	}
	for _, to := range slices.Concat(p.TestImports, p.XTestImports) {
		all = append(all, Import{From: short(p.ImportPath), To: short(to), Test: true})
	}
	return all
}

// packages returns those of the module. In the list each comes after those that it imports.
func packages(all []typecheck.Listed) (ours []Package) {
	links := map[string]bool{}
	for _, p := range all {
		links[p.ImportPath] = isKubernetes(p.ImportPath) || slices.ContainsFunc(p.Imports, func(path string) bool { return links[path] })
		if p.Ours() {
			ours = append(ours, Package{p.ImportPath, p.Imports, p.TestImports, p.XTestImports, links[p.ImportPath]})
		}
	}
	return ours
}
