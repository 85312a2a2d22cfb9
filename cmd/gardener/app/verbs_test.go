package app

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// verbsThatTell do something without a running landscape, and then say so. The first prepares the second.
func verbsThatTell(t *testing.T) map[string][]string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	for _, variable := range []string{"GARDENER_STATE_DIR", "GARDENER_LANDSCAPE", "GARDENER_CONFIG"} {
		t.Setenv(variable, "")
	}
	l, err := (&globalFlags{display: newDisplay()}).load(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(l.paths.Store()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.paths.Store(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	image, err := random.Image(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	config.OS, config.Architecture = "linux", runtime.GOARCH
	if image, err = mutate.ConfigFile(image, config); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(dir, "app.tar")
	if err := tarball.WriteToFile(archive, name.MustParseReference("example.org/app:1"), image); err != nil {
		t.Fatal(err)
	}
	return map[string][]string{
		"image load":   {"image", "load", archive},
		"image remove": {"image", "remove", "example.org/app:1"},
		"down":         {"down"},
		"down --all":   {"down", "--all"},
	}
}

func TestVerbsAreQuiet(t *testing.T) {
	verbs := verbsThatTell(t)
	for _, verb := range []string{"image load", "image remove", "down", "down --all"} {
		run := func(t *testing.T, flag string) string {
			var out bytes.Buffer
			shown := newDisplay()
			root := newRoot(shown)
			root.SetArgs(append([]string{flag}, verbs[verb]...))
			root.SetOut(&out)
			root.SetErr(&out)
			if verb == "image remove" { // each time anew
				again := newRoot(newDisplay())
				again.SetArgs(append([]string{"-q"}, verbs["image load"]...))
				if err := again.Execute(); err != nil {
					t.Fatal(err)
				}
			}
			if err := root.Execute(); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		t.Run("APP-35 "+verb+" -q", func(t *testing.T) {
			if got := run(t, "-q"); got != "" {
				t.Errorf("it says %q", got)
			}
		})
		t.Run("APP-35 "+verb+" --progress=json", func(t *testing.T) {
			lines := strings.Split(strings.TrimSpace(run(t, "--progress=json")), "\n")
			for _, line := range lines {
				var told event
				if err := json.Unmarshal([]byte(line), &told); err != nil || told.Object == "" || told.State == "" {
					t.Errorf("%q is no event: %v", line, err)
				}
			}
		})
	}
}

// dataOf are the files whose verbs print data, prompts or what a server says, and how often.
var dataOf = map[string]int{
	"backupkeys.go": 1, "bootstrap.go": 1, "logs.go": 1, "component.go": 2, "confirm.go": 3, "ends.go": 2, "events.go": 1, "follow.go": 1, "metrics.go": 2, "shootlist.go": 1, "logtext.go": 1,
	"display.go": 2, "live.go": 2, "report.go": 3, "table.go": 1,
}

// What is printed past the display is printed to the quiet, too, between objects of JSON, without the landscape in its commands, and with
// whatever a tenant has written into it.
func TestVerbsPrintByTheDisplay(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			call, is := node.(*ast.CallExpr)
			if !is {
				return true
			}
			selector, is := call.Fun.(*ast.SelectorExpr)
			if !is || len(call.Args) == 0 || !slices.Contains([]string{"Fprint", "Fprintf", "Fprintln", "WriteString"}, selector.Sel.Name) {
				return true
			}
			if of, is := selector.X.(*ast.Ident); !is || of.Name != "fmt" && of.Name != "io" {
				return true
			}
			switch to := call.Args[0].(type) {
			case *ast.UnaryExpr: // of a buffer
			case *ast.Ident:
				if file != "ready.go" { // whose text is told later
					found[file]++
				}
			case *ast.SelectorExpr, *ast.CallExpr:
				found[file]++
			default:
				t.Errorf("APP-35 %s prints to %T", file, to)
			}
			return true
		})
	}
	for file, times := range found {
		if times > dataOf[file] {
			t.Errorf("APP-35 %s prints %d times past the display, not %d: use display.tell for success, display.warn for warnings", file, times, dataOf[file])
		}
	}
	for file, times := range dataOf {
		if found[file] < times {
			t.Errorf("APP-35 %s prints only %d times past the display: correct this list", file, found[file])
		}
	}
}
