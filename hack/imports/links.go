package imports

import (
	"slices"
	"strings"
)

const kubernetes = "k8s.io/kubernetes/"

// checkLinkers returns a sentence for each package that links k8s.io/kubernetes without being listed, including by its
// tests, and for each listed package that does not link it.
func checkLinkers(packages []Package, listed []string) []string {
	links := map[string]bool{}
	for _, p := range packages {
		links[p.ImportPath] = p.LinksKubernetes
	}
	var problems []string
	missing := slices.Clone(listed)
	for _, p := range packages {
		name := short(p.ImportPath)
		inTests := slices.ContainsFunc(slices.Concat(p.TestImports, p.XTestImports), func(path string) bool { return isKubernetes(path) || links[path] })
		switch {
		case slices.Contains(listed, name):
			if links[p.ImportPath] {
				missing = slices.DeleteFunc(missing, func(m string) bool { return m == name })
			}
		case links[p.ImportPath]:
			problems = append(problems, name+" links k8s.io/kubernetes and is not listed: it would no longer build in seconds")
		case inTests:
			problems = append(problems, "tests of "+name+" link k8s.io/kubernetes, and the package is not listed")
		}
	}
	for _, name := range missing {
		problems = append(problems, name+" is listed and does not link k8s.io/kubernetes, or does not exist")
	}
	return problems
}

func isKubernetes(path string) bool { return strings.HasPrefix(path, kubernetes) }
