package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// manPages runs the verb and returns the pages by their names.
func manPages(t *testing.T) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "new", "man1")
	root := newRoot(newDisplay())
	root.SetArgs([]string{"man", dir, "--quiet"})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		pages[entry.Name()] = string(text)
	}
	return pages
}

func TestManPages(t *testing.T) {
	pages := manPages(t)
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() && sub.Name() != "help" {
				visit(sub)
			}
		}
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
		page := pages[name]
		if !strings.HasPrefix(page, ".nh\n.TH ") || !strings.Contains(page, cmd.Short) || !strings.Contains(page, Version) {
			t.Errorf("APP-35 %s has no page of its own, or one without its summary: %.200q", cmd.CommandPath(), page)
		}
		delete(pages, name)
	}
	visit(documented())
	for name := range pages {
		t.Errorf("APP-35 %s is about no command", name)
	}
	t.Run("APP-35 the pages do not depend on the environment", func(t *testing.T) {
		before := manPages(t)
		t.Setenv("GARDENER_LANDSCAPE", "other")
		t.Setenv("GARDENER_STATE_DIR", t.TempDir())
		t.Setenv("SOURCE_DATE_EPOCH", "1")
		if diff := cmp.Diff(before, manPages(t)); diff != "" {
			t.Errorf("pages (-before +after):\n%s", diff)
		}
	})
}
