package imports

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/hack/typecheck"
)

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

func TestWhatIsWrongIsFound(t *testing.T) {
	ours := []Package{{ImportPath: module + "/a", Imports: []string{"fmt", module + "/b"}}, {ImportPath: module + "/b", XTestImports: []string{module + "/a"}}}
	imports := append(ours[0].imports(), ours[1].imports()...)
	rule := Rule{Packages: []string{"..."}, Imports: []string{"./a", "./b", "./gone/..."}, Except: []string{"./b"}, Allowed: []string{"std"}, Reason: "reason"}
	for name, tc := range map[string]struct {
		got, want []string
	}{
		"a refused import":                     {refused(imports, []Rule{rule}), []string{"./a imports ./b: reason"}},
		"a pattern that names nothing":         {unknown(ours, []Rule{rule}), []string{`"reason" names ./gone/..., which does not exist`}},
		"an exception that does not change it": {unused(imports[:2], []Rule{{Packages: rule.Packages, Imports: []string{"./b"}, Allowed: []string{"./b", "std"}, Reason: "reason"}}), []string{`"reason" makes an unused exception for std`}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.got); diff != "" {
				t.Errorf("complaints (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLinksAreFollowed(t *testing.T) {
	got := packages([]typecheck.Listed{
		{ImportPath: "fmt"}, {ImportPath: "k8s.io/kubernetes/pkg/kubelet", Imports: []string{"fmt"}}, {ImportPath: "example.org/other", Imports: []string{"k8s.io/kubernetes/pkg/kubelet"}},
		{ImportPath: module + "/through", Imports: []string{"example.org/other"}},
		{ImportPath: module + "/free", Imports: []string{"fmt"}, TestImports: []string{module + "/through"}},
	})
	want := []Package{
		{ImportPath: module + "/through", Imports: []string{"example.org/other"}, LinksKubernetes: true},
		{ImportPath: module + "/free", Imports: []string{"fmt"}, TestImports: []string{module + "/through"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
}

func TestCheckLinkersFindsWhatIsWrong(t *testing.T) {
	made := []Package{
		{ImportPath: module + "/listed", LinksKubernetes: true},
		{ImportPath: module + "/through", LinksKubernetes: true, Imports: []string{module + "/listed"}},
		{ImportPath: module + "/test", XTestImports: []string{module + "/listed"}},
		{ImportPath: module + "/direct", TestImports: []string{"k8s.io/kubernetes/pkg/kubelet"}},
		{ImportPath: module + "/free"},
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
