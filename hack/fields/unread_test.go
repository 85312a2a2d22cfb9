package fields

import (
	"flag"
	"go/types"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var rewrite = flag.Bool("rewrite", false, "write the lists of fields without effect into docs/api.md")

// root is the root of the repository as seen from this package.
const root = "../.."

// page shows the lists.
const page = root + "/docs/api.md"

// elsewhere are fields that have an effect although no selector reads them, with the reason.
var elsewhere = map[string]map[string]string{
	"Shoot": {
		"spec.addons.kubernetes-dashboard": "defaulting moves it to kubernetesDashboard",
		"spec.addons.nginx-ingress":        "defaulting moves it to nginxIngress",
	},
	"Project": {
		"spec.createdBy":   "information for people",
		"spec.description": "information for people",
		"spec.purpose":     "information for people",
	},
}

// onlyNamed are fields that are read without acting on them, with the reason.
var onlyNamed = map[string]map[string]string{
	"Shoot": {"spec.kubernetes.kubeAPIServer.structuredAuthorization": "only the objects it refers to are protected"},
}

func TestFieldsWithoutEffectAreListed(t *testing.T) {
	acting, judging, imports, err := Find(root)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := imports.Import(module + "/embedded/apis/core/v1beta1")
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	for kind, readers := range map[string][]Readers{
		"Shoot": {acting}, "Seed": {acting, judging}, "CloudProfile": {acting, judging}, "Project": {acting, judging},
	} {
		t.Run(kind, func(t *testing.T) {
			want := withoutEffect(t, kind, pkg.Scope().Lookup(kind+"Spec").Type(), readers)
			block := regexp.MustCompile("(?s)<!-- without effect: " + kind + " -->\n(.*?)<!-- end -->")
			found := block.FindStringSubmatch(text)
			if found == nil {
				t.Fatalf("%s has no list of %s", page, kind)
			}
			if *rewrite {
				text = strings.Replace(text, found[0], "<!-- without effect: "+kind+" -->\n"+want+"<!-- end -->", 1)
				return
			}
			if diff := cmp.Diff(want, found[1]); diff != "" {
				t.Errorf("%s is not what the code reads: run this test with -rewrite, and warn of new Shoot fields (-code +page):\n%s", page, diff)
			}
		})
	}
	if *rewrite {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// withoutEffect lists fields as the page does. It refuses exceptions that are none.
func withoutEffect(t *testing.T, kind string, spec types.Type, readers []Readers) string {
	t.Helper()
	unread := Unread(spec, "spec", readers...)
	for path := range elsewhere[kind] {
		i := slices.Index(unread, path)
		if i < 0 {
			t.Errorf("%s is read: it is no exception any more", path)
			continue
		}
		unread = slices.Delete(unread, i, i+1)
	}
	for path := range onlyNamed[kind] {
		if slices.Contains(unread, path) {
			t.Errorf("%s is not read: it is no exception any more", path)
		}
		unread = slices.DeleteFunc(unread, func(below string) bool { return strings.HasPrefix(below, path) })
		unread = append(unread, path)
	}
	slices.Sort(unread)
	var list strings.Builder
	for _, path := range unread {
		list.WriteString("- `" + path + "`\n")
	}
	return list.String()
}

func TestUnreadFindsAFieldWithoutReader(t *testing.T) {
	pkg := types.NewPackage("example.com/api", "api")
	inner := types.NewNamed(types.NewTypeName(0, pkg, "Inner", nil), nil, nil)
	inner.SetUnderlying(types.NewStruct([]*types.Var{types.NewField(0, pkg, "Read", types.Typ[types.Int], false), types.NewField(0, pkg, "Unread", types.Typ[types.Int], false)},
		[]string{`json:"read"`, `json:"unread,omitempty"`}))
	outer := types.NewNamed(types.NewTypeName(0, pkg, "Outer", nil), nil, nil)
	outer.SetUnderlying(types.NewStruct([]*types.Var{types.NewField(0, pkg, "List", types.NewSlice(types.NewPointer(inner)), false)}, []string{`json:"list"`}))
	readers := Readers{"example.com/api.Outer.List": {"a.go:1"}, "example.com/api.Inner.Read": {"a.go:2"}}
	if diff := cmp.Diff([]string{"spec.list[].unread"}, Unread(outer, "spec", readers)); diff != "" {
		t.Errorf("unread (-want +got):\n%s", diff)
	}
}
