package app

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/embedded/testskip"
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
	t.Run("APP-36 the program man finds and shows the pages", func(t *testing.T) {
		program, err := exec.LookPath("man")
		if err != nil {
			testskip.OutsideCI(t, "there is no program man")
		}
		dir := t.TempDir()
		root := newRoot(newDisplay())
		root.SetArgs([]string{"man", filepath.Join(dir, "man1"), "--quiet"})
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"gardener-shoot-create"}, {"-l", filepath.Join(dir, "man1", "gardener.1")}} {
			cmd := exec.Command(program, args...)
			cmd.Env = append(os.Environ(), "MANPATH="+dir+":", "MANPAGER=cat")
			if output, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(output), "NAME") || !strings.Contains(string(output), "gardener") {
				t.Errorf("man %s: %v\n%s", strings.Join(args, " "), err, output)
			}
		}
	})
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
