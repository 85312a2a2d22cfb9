package features

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// root is the root of the repository as seen from this package.
const root = "../.."

func TestTable(t *testing.T) {
	file, err := os.Open(filepath.Join(root, "docs", "features.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 500 {
		t.Fatalf("the table has only %d rows", len(rows))
	}
	tests, named := reader{}, map[string]map[string]bool{} // IDs by path
	for _, row := range rows {
		if row.State == "works" && len(row.Tests) == 0 {
			t.Errorf("%s works but names no test", row.ID)
		}
		for _, path := range row.Tests {
			if named[path] == nil {
				if named[path], err = tests.namedBelow(filepath.Join(root, path)); err != nil {
					t.Errorf("%s names a test that cannot be read: %v", row.ID, err)
				}
			}
			if !named[path][row.ID] {
				t.Errorf("%s names %s, where no test or subtest has it in its name", row.ID, path)
			}
		}
	}
}

func TestParseRefusesRowsOfAnotherShape(t *testing.T) {
	for name, line := range map[string]string{
		"a column is missing":   "| ARC-1 | a | works |",
		"the state is unknown":  "| ARC-1 | a | almost | – |",
		"the reason is missing": "| ARC-1 | a | partial: | – |",
		"the ID is none":        "| arc | a | works | – |",
		"the ID is there twice": "| ARC-1 | a | works | – |\n| ARC-1 | a | works | – |",
	} {
		t.Run(name, func(t *testing.T) {
			if rows, err := Parse(strings.NewReader(line)); err == nil {
				t.Errorf("parsed %+v", rows)
			}
		})
	}
}

func TestOnlyNamesOfTestsCount(t *testing.T) {
	for name, tc := range map[string]struct {
		source string
		want   bool
	}{
		"a subtest":                        {`func TestA(t *testing.T) { t.Run("XYZ-1 it works", func(*testing.T) {}) }`, true},
		"a subtest of a helper":            {`func TestA(t *testing.T) { help(t) }; func help(t *testing.T) { t.Run("XYZ-1 it works", nil) }`, true},
		"a part of a name":                 {`func TestA(t *testing.T) { t.Run("XYZ-1 "+t.Name(), nil) }`, true},
		"a key of a table":                 {`func TestA(t *testing.T) { for name := range map[string]int{"XYZ-1 it works": 1} { t.Run(name, nil) } }`, true},
		"a field of a table":               {`func TestA(t *testing.T) { for _, c := range []struct{ name string }{{"XYZ-1 it works"}} { t.Run(c.name, nil) } }`, true},
		"a table of the package":           {`var rows = []struct{ name string }{{name: "XYZ-1 it works"}}; func TestA(t *testing.T) { for _, c := range rows { t.Run(c.name, nil) } }`, true},
		"a comment":                        {`func TestA(t *testing.T) { t.Run("it works", nil) /* XYZ-1 */ }`, false},
		"a message":                        {`func TestA(t *testing.T) { t.Run("it works", nil); t.Error("XYZ-1 fails") }`, false},
		"a table that names no subtest":    {`func TestA(t *testing.T) { for range map[string]int{"XYZ-1 it works": 1} { t.Log() } }`, false},
		"a helper that nobody calls":       {`func TestA(t *testing.T) {}; func help(t *testing.T) { t.Run("XYZ-1 it works", nil) }`, false},
		"a helper that only helpers call":  {`func TestA(t *testing.T) {}; func help(t *testing.T) { t.Run("XYZ-1 it works", nil) }; func more(t *testing.T) { help(t) }`, false},
		"a test that always skips":         {`func TestA(t *testing.T) { t.Skip("later"); t.Run("XYZ-1 it works", nil) }`, false},
		"a helper that always skips":       {`func TestA(t *testing.T) { help(t) }; func help(t *testing.T) { t.SkipNow(); t.Run("XYZ-1 it works", nil) }`, false},
		"a subtest that always skips":      {`func TestA(t *testing.T) { t.Run("XYZ-1 it works", func(t *testing.T) { t.Skipf("later") }) }`, false},
		"a table that always skips":        {`func TestA(t *testing.T) { for name := range map[string]int{"XYZ-1 it works": 1} { t.Run(name, func(t *testing.T) { t.Skip() }) } }`, false},
		"a test that may skip":             {`func TestA(t *testing.T) { if testing.Short() { t.Skip("long") }; t.Run("XYZ-1 it works", nil) }`, true},
		"another ID that begins like this": {`func TestA(t *testing.T) { t.Run("XYZ-12 it works", nil) }`, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a_test.go"), []byte("package a\n\nimport \"testing\"\n\n"+tc.source), 0o600); err != nil {
				t.Fatal(err)
			}
			ids, err := reader{}.namedBelow(dir)
			if err != nil || ids["XYZ-1"] != tc.want {
				t.Errorf("IDs %v, %v, want XYZ-1: %t", ids, err, tc.want)
			}
		})
	}
}

func TestFilesThatAreNotBuiltDoNotCount(t *testing.T) {
	for name, tc := range map[string]struct {
		file, constraint string
		want             bool
	}{
		"behind a tag":           {"a_test.go", "//go:build soak\n\n", false},
		"for another system":     {"a_windows_test.go", "", false},
		"for Linux":              {"a_linux_test.go", "", true},
		"unless a tag is set":    {"a_test.go", "//go:build !soak\n\n", true},
		"only if nothing builds": {"a_test.go", "//go:build ignore\n\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			text := tc.constraint + "package a\n\nimport \"testing\"\n\n" + `func TestA(t *testing.T) { t.Run("XYZ-1 it works", func(*testing.T) {}) }` + "\n"
			if err := os.WriteFile(filepath.Join(dir, tc.file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			ids, err := reader{}.namedBelow(dir)
			if err != nil || ids["XYZ-1"] != tc.want {
				t.Errorf("IDs %v, %v, want XYZ-1: %t", ids, err, tc.want)
			}
		})
	}
}
