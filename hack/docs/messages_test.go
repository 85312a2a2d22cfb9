package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTroubleshootingNamesMessages expects that each message of the page is one of the program's. An ellipsis stands for what varies.
func TestTroubleshootingNamesMessages(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(root, "docs", "troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	source := sources(t)
	rows := 0
	for line := range strings.Lines(section(string(content), "By ID") + section(string(content), "By message")) {
		message, _, found := strings.Cut(strings.TrimPrefix(line, "|"), " | ")
		if strings.HasPrefix(line, "`") {
			message, _, found = strings.Cut(line, "`: ")
			message += "`"
		}
		spans := Spans(message)
		if !found || len(spans) == 0 {
			continue
		}
		rows++
		t.Run("APP-35 "+strings.Join(spans, ", "), func(t *testing.T) {
			for part := range strings.SplitSeq(strings.Join(spans, "…"), "…") {
				if part = strings.TrimSpace(part); !strings.Contains(source, part) {
					t.Errorf("the program has no message with %q", part)
				}
			}
		})
	}
	if rows < 25 {
		t.Errorf("%d rows are read", rows)
	}
}

// section is the text below a heading of the second level.
func section(page, heading string) string {
	_, text, _ := strings.Cut(page, "\n## "+heading+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// TestErrorsAreExplained expects a paragraph for each ID of errors, in the order of the IDs, and no other.
func TestErrorsAreExplained(t *testing.T) {
	declared, err := os.ReadFile(filepath.Join(root, "appliance", "fault", "fault.go"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, match := range regexp.MustCompile(`(?m)^\t\w+ +ID = "(.*?)"`).FindAllSubmatch(declared, -1) {
		want = append(want, string(match[1]))
	}
	paragraphs := strings.Split(section(string(page), "By ID"), "\n### ")[1:]
	for _, paragraph := range paragraphs {
		heading, text, _ := strings.Cut(paragraph, "\n")
		id, title, _ := strings.Cut(heading, " ")
		got = append(got, id)
		if title == "" || len(strings.Fields(text)) < 5 {
			t.Errorf("APP-35 the paragraph about %s explains nothing: %s", id, text)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 20 {
		t.Errorf("APP-35 IDs in %d errors and in the page (-errors +page):\n%s", len(want), diff)
	}
}

// TestErrorsHaveOneSource expects that IDs of errors are written in one file only.
func TestErrorsHaveOneSource(t *testing.T) {
	source := sources(t)
	id := regexp.MustCompile(`"GRD-\d+"`)
	seen := map[string]bool{}
	for _, found := range id.FindAllString(source, -1) {
		if seen[found] {
			t.Errorf("APP-35 %s is written twice in the program", found)
		}
		seen[found] = true
	}
	if len(seen) < 20 {
		t.Errorf("%d IDs are found", len(seen))
	}
}

// sources is the text of all programs, without tests.
func sources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, room := range []string{"appliance", "cmd", "controllers", "embedded", "local", "providers"} {
		err := filepath.WalkDir(filepath.Join(root, room), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "zz_generated") {
				return err
			}
			content, err := os.ReadFile(path)
			all.Write(content)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}
