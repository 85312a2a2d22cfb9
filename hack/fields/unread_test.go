package fields

import (
	"flag"
	"go/constant"
	"go/types"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/ineffective"
)

var rewrite = flag.Bool("rewrite", false, "write the lists of fields without effect into docs/api.md")

// root is the root of the repository as seen from this package.
const root = "../.."

// page shows the tables that tablesOf declares.
const (
	page     = root + "/docs/api.md"
	tablesOf = "embedded/gardenapi/registry/core/ineffective"
)

var tables = map[string][]ineffective.Field{
	"Shoot": ineffective.Shoot.Fields, "Seed": ineffective.Seed.Fields, "Project": ineffective.Project.Fields,
	"CloudProfile": ineffective.CloudProfile.Fields, "NamespacedCloudProfile": ineffective.NamespacedCloudProfile.Fields,
}

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

// elsewhereInConfiguration are keys of configurations that have an effect although only their defaults read them: former names
// of other keys, and the format of logs, which cmd/gardener/app reads before the component starts.
var elsewhereInConfiguration = map[string][]string{
	"/controllers/admissioncontroller/config": {"logFormat"},
	"/controllers/controllermanager/config":   {"logFormat"},
	"/controllers/gardenlet/config":           {"logFormat"},
	"/controllers/operator/config":            {"logFormat"},
	"/controllers/scheduler/config":           {"logFormat"},
	"/controllers/resourcemanager/config": {
		"sourceClientConnection.namespace", "targetClientConnection.namespace", "logFormat", "controllers.kubeletCSRApprover", "controllers.node",
	},
}

func TestTablesAreWhatTheCodeReads(t *testing.T) {
	acting, judging, imports, err := Find(root)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := imports.Import(module + "/embedded/apis/core/v1beta1")
	if err != nil {
		t.Fatal(err)
	}
	for kind, table := range tables {
		t.Run(kind, func(t *testing.T) {
			readers := []Readers{acting, judging}
			if kind == "Shoot" {
				readers = readers[:1] // what admission reads of a Shoot has no effect on the shoot
			}
			unread := withoutEffect(t, kind, pkg.Scope().Lookup(kind+"Spec").Type(), readers)
			if diff := cmp.Diff(unread, paths(table), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s is not what the code reads: change the table, and run this package with -rewrite (-code +table):\n%s", tablesOf, diff)
			}
		})
	}
	for _, path := range configurations {
		t.Run(path, func(t *testing.T) {
			pkg, err := imports.Import(module + path)
			if err != nil {
				t.Fatal(err)
			}
			kind := pkg.Scope().Lookup("Kind").(*types.Const)
			untagged, tagged := Wrong(pkg.Scope().Lookup(constant.StringVal(kind.Val())).Type(), acting)
			if diff := cmp.Diff(elsewhereInConfiguration[path], untagged); diff != "" {
				t.Errorf("these fields need the tag effect:\"none\", as nobody reads them (-want +got):\n%s", diff)
			}
			if len(tagged) > 0 {
				t.Errorf("these fields have the tag effect:\"none\", but somebody reads them: %q", tagged)
			}
		})
	}
}

func TestPageShowsTheTables(t *testing.T) {
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	for kind, table := range tables {
		start := "<!-- without effect: " + kind + " -->\n"
		_, list, found := strings.Cut(text, start)
		if list, _, _ = strings.Cut(list, "<!-- end -->"); !found {
			t.Errorf("%s has no list of %s", page, kind)
		} else if *rewrite {
			text = strings.Replace(text, start+list, start+lines(table), 1)
		} else if diff := cmp.Diff(lines(table), list); diff != "" {
			t.Errorf("%s is not the table of %s: run this test with -rewrite (-code +page):\n%s", page, kind, diff)
		}
	}
	if *rewrite {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func paths(table []ineffective.Field) []string {
	var all []string
	for _, field := range table {
		all = append(all, field.Path)
	}
	return all
}

// lines shows a table as a list.
func lines(table []ineffective.Field) string {
	var list strings.Builder
	for _, field := range table {
		list.WriteString("- `" + field.Path + "`")
		if field.Instead != "" {
			list.WriteString(": use " + field.Instead + " instead")
		}
		list.WriteString("\n")
	}
	return list.String()
}

// withoutEffect returns the fields that nobody reads, without exceptions and sorted. It refuses exceptions that are read.
func withoutEffect(t *testing.T, kind string, spec types.Type, readers []Readers) []string {
	t.Helper()
	unread := Unread(spec, "spec", readers...)
	for path := range elsewhere[kind] {
		i := slices.Index(unread, path)
		if i < 0 {
			t.Errorf("%s is read: remove the exception", path)
			continue
		}
		unread = slices.Delete(unread, i, i+1)
	}
	slices.Sort(unread)
	return unread
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
