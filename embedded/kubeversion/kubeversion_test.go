package kubeversion_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/kubeversion"
)

func TestVersionIsThatOfTheModule(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes").Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSpace(string(out)); kubeversion.Version != want {
		t.Errorf("version is %s, go.mod has %s: run make generate", kubeversion.Version, want)
	}
	if !strings.HasPrefix(kubeversion.Number, kubeversion.Minor+".") {
		t.Errorf("minor %s does not belong to %s", kubeversion.Minor, kubeversion.Number)
	}
}

// literal finds the linked version or its minor, but not a longer number such as 1.361 or 11.36.
var literal = regexp.MustCompile(`(^|[^0-9.])` + regexp.QuoteMeta(kubeversion.Minor) + `($|[^0-9])`)

// TestNobodyElseNamesTheVersion looks at string literals of Go, and at scripts and manifests.
func TestNobodyElseNamesTheVersion(t *testing.T) {
	seen := 0
	walk(t, func(path, text string) {
		seen++
		if strings.HasSuffix(path, ".go") {
			text = stringsOf(text)
		}
		if literal.MatchString(text) {
			t.Errorf("%s names Kubernetes %s: take it from package kubeversion, or from go.mod", path, literal.FindString(text))
		}
	})
	if seen < 1000 {
		t.Errorf("only %d files were looked at", seen)
	}
}

// offered finds versions of Kubernetes in examples.
var offered = regexp.MustCompile(`kubernetes: *\{version: ([0-9.]+)|kubernetes:\n *version: ([0-9.]+)`)

// TestExamplesNameTheVersion keeps up what users apply by hand: it cannot be derived.
func TestExamplesNameTheVersion(t *testing.T) {
	seen := 0
	for _, pattern := range []string{"*.yaml", "*/*.yaml"} {
		files, err := filepath.Glob(filepath.Join("../../examples", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range offered.FindAllStringSubmatch(string(text), -1) {
				if seen++; match[1]+match[2] != kubeversion.Number {
					t.Errorf("%s names Kubernetes %s, the binary has %s", file, match[1]+match[2], kubeversion.Number)
				}
			}
		}
	}
	if seen < 6 {
		t.Errorf("only %d versions were found", seen)
	}
}

// free tells whether a file may name the version.
func free(path string) bool {
	name := filepath.Base(path)
	switch {
	case path == "embedded/kubeversion/zz_generated.number.go": // the one place
		return true
	case strings.HasPrefix(path, "examples/"): // see TestExamplesNameTheVersion
		return true
	case strings.HasPrefix(path, "docs/"): // sample output
		return true
	case strings.Contains(path, "/testdata/"), strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(path, "e2e/"):
		return true // versions of objects that no server runs; end-to-end tests run what they name
	}
	return false
}

func walk(t *testing.T, look func(path, text string)) {
	t.Helper()
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if path != "." && (strings.HasPrefix(entry.Name(), ".") || path == "bin") {
				return fs.SkipDir
			}
			return nil
		}
		switch filepath.Ext(path) {
		case ".go", ".sh", ".yaml", ".yml", ".txtar", ".toml":
		default:
			if entry.Name() != "Makefile" {
				return nil
			}
		}
		if free(path) {
			return nil
		}
		text, err := fs.ReadFile(root, path)
		if err == nil {
			look(path, string(text))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// stringsOf are the string literals of a Go file, a line each: comments may give examples.
func stringsOf(source string) string {
	var found []string
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", set.Base(), len(source)), []byte(source), nil, 0)
	for {
		_, kind, text := s.Scan()
		if kind == token.EOF {
			return strings.Join(found, "\n")
		}
		if kind == token.STRING {
			found = append(found, text)
		}
	}
}
