package fields

import (
	"flag"
	"go/types"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/ineffective"
)

var rewrite = flag.Bool("rewrite", false, "write the lists of fields without effect into docs/api.md")

// page shows the tables.
const page = "../../docs/api.md"

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

func TestWrongTablesAreFound(t *testing.T) {
	table := []ineffective.Field{{Path: "spec.a"}, {Path: "spec.b"}}
	for name, tc := range map[string]struct {
		unread     []string
		exceptions map[string]string
		want       string
	}{
		"a table that is right":         {unread: []string{"spec.b", "spec.a"}},
		"an exception that is right":    {unread: []string{"spec.b", "spec.c", "spec.a"}, exceptions: map[string]string{"spec.c": "reason"}},
		"a field that is not listed":    {unread: []string{"spec.b", "spec.c", "spec.a"}, want: "spec.c"},
		"a listed field that is read":   {unread: []string{"spec.b"}, want: "spec.a"},
		"an exception for what is read": {unread: []string{"spec.b", "spec.a"}, exceptions: map[string]string{"spec.c": "reason"}, want: "spec.c is read"},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(wrongTable("Kind", table, tc.exceptions, tc.unread), "\n")
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("complaints %q, want one with %q", got, tc.want)
			}
		})
	}
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
