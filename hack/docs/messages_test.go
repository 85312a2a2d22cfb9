package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTroubleshootingNamesMessages expects that each message of the page is one of the program's. An ellipsis stands for what varies.
func TestTroubleshootingNamesMessages(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(root, "docs", "troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(content), "## By message")
	table, _, _ = strings.Cut(table, "\n## ")
	source := sources(t)
	rows := 0
	for line := range strings.Lines(table) {
		message, _, found := strings.Cut(strings.TrimPrefix(line, "|"), " | ")
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
	if rows < 12 {
		t.Errorf("%d rows are read", rows)
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
