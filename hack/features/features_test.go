package features

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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
	for _, row := range rows {
		if row.State == "works" && len(row.Tests) == 0 {
			t.Errorf("%s works but names no test", row.ID)
		}
		for _, path := range row.Tests {
			known, err := mentions(filepath.Join(root, path), row.ID)
			if err != nil {
				t.Errorf("%s names a test that cannot be read: %v", row.ID, err)
			} else if !known {
				t.Errorf("%s names %s, where no test mentions it", row.ID, path)
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

// mentions reports whether a test file at or below a path has the ID as a word.
func mentions(path, id string) (bool, error) {
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(id) + `\b`)
	found := false
	err := filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || found {
			return err
		}
		if !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, ".txtar") {
			return nil
		}
		content, err := os.ReadFile(path)
		found = word.Match(bytes.ToValidUTF8(content, nil))
		return err
	})
	return found, err
}
