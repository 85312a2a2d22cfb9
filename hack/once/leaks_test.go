package once

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// unwatched are packages with goroutines whose tests do not look for those that are left, with the reason.
var unwatched = map[string]string{
	"embedded/prometheus/program/door":   "a module of its own, which does not have goleak",
	"embedded/prometheus/program/engine": "a module of its own, which does not have goleak",
	"embedded/testenv":                   "its servers end with the process of the tests",
}

// tools are rooms of programs and drivers of tests, whose processes end soon.
var tools = []string{"hack/", "e2e/"}

var goleaks = regexp.MustCompile(`goleak\.(Verify|Find)`)

// leakers returns a complaint for each package that starts goroutines and has tests, none of which looks for goroutines that are left,
// and for each reason that no package needs.
func leakers(files, reasons map[string]string) ([]string, error) {
	starts, tested, watched := map[string]string{}, map[string]bool{}, map[string]bool{}
	for path, text := range files {
		dir := filepath.Dir(path)
		if strings.HasSuffix(path, "_test.go") {
			tested[dir] = true
			watched[dir] = watched[dir] || goleaks.MatchString(text) || strings.Contains(text, "NoLeaks: true")
			continue
		}
		isTool := func(room string) bool { return strings.HasPrefix(path, room) }
		if !strings.Contains(text, "go ") || slices.ContainsFunc(tools, isTool) {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if started, ok := n.(*ast.GoStmt); ok && (starts[dir] == "" || path < starts[dir]) {
				starts[dir] = fmt.Sprintf("%s:%d", path, set.Position(started.Pos()).Line)
			}
			return true
		})
	}
	var complaints []string
	needed := map[string]bool{}
	for dir, where := range starts {
		if !tested[dir] || watched[dir] {
			continue
		}
		needed[dir] = true
		if reasons[dir] == "" {
			complaints = append(complaints, where+" starts a goroutine: add a TestMain with goleak.VerifyTestMain, or testenv.Options{NoLeaks: true}")
		}
	}
	for dir := range reasons {
		if !needed[dir] {
			complaints = append(complaints, dir+" leaves no goroutine unwatched: remove its reason")
		}
	}
	slices.Sort(complaints)
	return complaints, nil
}

func TestGoroutinesAreWatched(t *testing.T) {
	complaints, err := leakers(sources(t), unwatched)
	if err != nil {
		t.Fatal(err)
	}
	for _, complaint := range complaints {
		t.Error(complaint)
	}
}

func TestUnwatchedGoroutinesAreFound(t *testing.T) {
	const starts, nothing, test = "package a\n\nfunc f() {\n\tgo f()\n}\n", "package a\n\n// we go on\nfunc f() {}\n", "package a\n\nfunc TestA() {}\n"
	got, err := leakers(map[string]string{
		"a/a.go": starts, "a/a_test.go": test,
		"b/b.go": nothing, "b/b_test.go": test,
		"c/c.go": starts,
		"d/d.go": starts, "d/d_test.go": test, "d/main_test.go": "package d\n\nfunc TestMain(m *testing.M) { goleak.VerifyTestMain(m) }\n",
		"e/e.go": starts, "e/e_test.go": "package e\n\nfunc TestMain(m *testing.M) { testenv.Main(m, testenv.Options{NoLeaks: true}, nil) }\n",
		"f/f.go": starts, "f/f_test.go": test,
		"h/h.go": starts, "h/h_test.go": "package h\n\nfunc TestMain(m *testing.M) { os.Exit(end(m.Run(), goleak.Find())) }\n",
		"hack/h/h.go": starts, "hack/h/h_test.go": test,
		"g/g.go": nothing, "g/g_test.go": starts,
	}, map[string]string{"f": "reason", "g": "reason"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a/a.go:4 starts a goroutine: add a TestMain with goleak.VerifyTestMain, or testenv.Options{NoLeaks: true}",
		"g leaves no goroutine unwatched: remove its reason",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("complaints (-want +got):\n%s", diff)
	}
}
