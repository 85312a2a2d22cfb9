package imports

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var packages = sync.OnceValues(func() ([]Package, error) { return list("../..") })

func allPackages(t *testing.T) []Package {
	t.Helper()
	all, err := packages()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("go list found %d packages only", len(all))
	}
	return all
}

func allImports(t *testing.T) []Import {
	t.Helper()
	var all []Import
	for _, p := range allPackages(t) {
		all = append(all, p.imports()...)
	}
	return all
}

func TestEveryImportIsAllowed(t *testing.T) {
	for _, i := range allImports(t) {
		for _, r := range rules {
			if r.Refuses(i) {
				t.Errorf("%s imports %s: %s", i.From, i.To, r.Reason)
			}
		}
	}
}

func TestEveryRuleRefusesItsExamples(t *testing.T) {
	for _, r := range rules {
		if len(r.Refused) == 0 {
			t.Errorf("%q has no example of what it refuses", r.Reason)
		}
		for _, i := range r.Refused {
			if !r.Refuses(i) {
				t.Errorf("%q does not refuse %+v", r.Reason, i)
			}
		}
	}
}

func TestEveryPatternOfARuleNamesAPackage(t *testing.T) {
	named := func(pattern string) bool {
		return slices.ContainsFunc(allPackages(t), func(p Package) bool { return match(pattern, short(p.ImportPath)) })
	}
	for _, r := range rules {
		for _, pattern := range slices.Concat(r.Packages, r.Except, r.Imports, r.Allowed, r.InTests) {
			if strings.HasPrefix(pattern, "./") && !named(pattern) {
				t.Errorf("%q names %s, which does not exist", r.Reason, pattern)
			}
		}
	}
}

// An unused exception would hide the first import that should be refused.
func TestEveryExceptionIsNeeded(t *testing.T) {
	imports := allImports(t)
	for _, r := range rules {
		for _, exceptions := range []*[]string{&r.Except, &r.Allowed, &r.InTests} {
			all := *exceptions
			for n, pattern := range all {
				*exceptions = slices.Delete(slices.Clone(all), n, n+1)
				if !slices.ContainsFunc(imports, r.Refuses) {
					t.Errorf("%q makes an unused exception for %s", r.Reason, pattern)
				}
			}
			*exceptions = all
		}
	}
}

func TestOnlyListedPackagesLinkKubernetes(t *testing.T) {
	for _, problem := range checkLinkers(allPackages(t), linkers) {
		t.Error(problem)
	}
}

func TestCheckLinkersFindsWhatIsWrong(t *testing.T) {
	kubernetes := []string{"fmt", "k8s.io/kubernetes/pkg/kubelet"}
	made := []Package{
		{ImportPath: module + "/listed", Deps: kubernetes},
		{ImportPath: module + "/through", Deps: kubernetes, Imports: []string{module + "/listed"}},
		{ImportPath: module + "/test", XTestImports: []string{module + "/listed"}},
		{ImportPath: module + "/direct", TestImports: []string{"k8s.io/kubernetes/pkg/kubelet"}},
		{ImportPath: module + "/free", Deps: []string{"k8s.io/api/core/v1"}},
		{ImportPath: module + "/vain"},
	}
	want := []string{
		"./through links k8s.io/kubernetes and is not listed: it would no longer build in seconds",
		"tests of ./test link k8s.io/kubernetes, and the package is not listed",
		"tests of ./direct link k8s.io/kubernetes, and the package is not listed",
		"./vain is listed and does not link k8s.io/kubernetes, or does not exist",
		"./gone is listed and does not link k8s.io/kubernetes, or does not exist",
	}
	if diff := cmp.Diff(want, checkLinkers(made, []string{"./listed", "./vain", "./gone"})); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestImportsOfTestsAreListed(t *testing.T) {
	p := Package{ImportPath: module + "/local", Imports: []string{"fmt"}, TestImports: []string{module}, XTestImports: []string{"sigs.k8s.io/yaml"}}
	want := []Import{{"./local", "fmt", false}, {"./local", ".", true}, {"./local", "sigs.k8s.io/yaml", true}}
	if diff := cmp.Diff(want, p.imports()); diff != "" {
		t.Errorf("imports (-want +got):\n%s", diff)
	}
}
