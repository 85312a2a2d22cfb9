package imports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gardener-up/gardener-up/hack/typecheck"
)

// Check returns a complaint for each import that a rule refuses, for each part of a rule that has no use, and for each package that links
// k8s.io/kubernetes without being listed.
func Check(m *typecheck.Module) ([]string, error) {
	ours := packages(m.All)
	if len(ours) < 100 {
		return nil, fmt.Errorf("%d packages only were found", len(ours))
	}
	var imports []Import
	for _, p := range ours {
		imports = append(imports, p.imports()...)
	}
	return slices.Concat(refused(imports, rules), unknown(ours, rules), unused(imports, rules), checkLinkers(ours, linkers)), nil
}

// refused are the imports that a rule refuses.
func refused(imports []Import, rules []Rule) (complaints []string) {
	for _, i := range imports {
		for _, r := range rules {
			if r.Refuses(i) {
				complaints = append(complaints, fmt.Sprintf("%s imports %s: %s", i.From, i.To, r.Reason))
			}
		}
	}
	return complaints
}

// unknown are the patterns of rules that name no package of ours.
func unknown(ours []Package, rules []Rule) (complaints []string) {
	named := func(pattern string) bool {
		return slices.ContainsFunc(ours, func(p Package) bool { return match(pattern, short(p.ImportPath)) })
	}
	for _, r := range rules {
		for _, pattern := range slices.Concat(r.Packages, r.Except, r.Imports, r.Allowed, r.InTests) {
			if strings.HasPrefix(pattern, "./") && !named(pattern) {
				complaints = append(complaints, fmt.Sprintf("%q names %s, which does not exist", r.Reason, pattern))
			}
		}
	}
	return complaints
}

// unused are the exceptions that no import needs. One would hide the first import that should be refused.
func unused(imports []Import, rules []Rule) (complaints []string) {
	for _, r := range rules {
		for _, exceptions := range []*[]string{&r.Except, &r.Allowed, &r.InTests} {
			all := *exceptions
			for n, pattern := range all {
				*exceptions = slices.Delete(slices.Clone(all), n, n+1)
				if !slices.ContainsFunc(imports, r.Refuses) {
					complaints = append(complaints, fmt.Sprintf("%q makes an unused exception for %s", r.Reason, pattern))
				}
			}
			*exceptions = all
		}
	}
	return complaints
}
