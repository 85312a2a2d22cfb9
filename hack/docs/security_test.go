package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// test is the declaration of a test, or of a function that a test of its package calls.
var test = regexp.MustCompile(`(?m)^func .*(\*testing\.T|\*fixture|f fixture)`)

// TestMustNotsAreTried expects that each row of the table "Who must not do what" names tests that exist.
func TestMustNotsAreTried(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(root, "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(content), "## Who must not do what")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 4 || strings.HasPrefix(cells[0], " Actor") || strings.HasPrefix(cells[0], " ---") {
			continue
		}
		rows++
		named := Paths(cells[3], rooms)
		for _, span := range Spans(cells[3]) {
			named = append(named, Paths(span, rooms)...)
		}
		if len(named) == 0 {
			t.Errorf("no test tries that a %s must not %s", strings.TrimSpace(cells[0]), cells[1])
		}
		for _, path := range named {
			if !hasTests(t, filepath.Join(root, path)) {
				t.Errorf("%s has no tests; the row is: %s must not %s", path, strings.TrimSpace(cells[0]), cells[1])
			}
		}
	}
	if rows < 15 {
		t.Errorf("%d rows are read", rows)
	}
}

// hasTests reports whether a file, or one in a directory, has tests.
func hasTests(t *testing.T, path string) bool {
	t.Helper()
	files := []string{path}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(path, "*_test.go")); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range files {
		if content, err := os.ReadFile(file); err == nil && strings.HasSuffix(file, "_test.go") && test.Match(content) {
			return true
		}
	}
	return false
}
