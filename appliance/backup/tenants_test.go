package backup_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// A backup that was made can be restored, whatever a pod has written into its volume, and other tenants lose nothing.
func TestTenantsCannotSpoilABackup(t *testing.T) {
	l := newLandscape(t)
	volume := filepath.Join(l.paths.Volumes(), ".shoots/moon/pv")
	check(t, os.MkdirAll(volume, 0o700))
	kept := map[string]bool{`back\slash`: true, "new\nline": true, "\x1b[31m": true, "\xff": false, "a\xc3": false, "ü": true, "\xffdir/file": false, `dir\/file`: true}
	for name := range kept {
		check(t, os.MkdirAll(filepath.Join(volume, filepath.Dir(name)), 0o700))
		check(t, os.WriteFile(filepath.Join(volume, name), []byte("text"), 0o600))
	}
	check(t, os.Symlink("\xff", filepath.Join(volume, "link")))
	check(t, os.Symlink(`\`, filepath.Join(volume, "goodlink")))
	at, err := os.OpenRoot(volume)
	check(t, err)
	for range 30 { // longer than any path
		name := strings.Repeat("d", 200)
		check(t, at.Mkdir(name, 0o700))
		next, err := at.OpenRoot(name)
		check(t, err)
		check(t, at.Close())
		at = next
	}
	check(t, at.Close())
	deep := filepath.Join(volume, strings.Repeat("d/", 300))
	check(t, os.MkdirAll(deep, 0o700))
	made := l.create(nil)
	if len(made.Warnings) == 0 || len(made.Warnings) > 4 {
		t.Errorf("APP-21 warnings: %q", made.Warnings)
	}
	for _, text := range made.Warnings {
		if !utf8.ValidString(text) || strings.ContainsAny(text, "\x1b\n") || !strings.Contains(text, "moon") {
			t.Errorf("APP-21 a warning that is not printable, or names no shoot: %q", text)
		}
	}
	l.purge()
	check(t, l.restore(made.File))
	for name, want := range kept {
		if text, err := os.ReadFile(filepath.Join(volume, name)); (err == nil && string(text) == "text") != want {
			t.Errorf("APP-21 %q is back: %v", name, err)
		}
	}
	if target, err := os.Readlink(filepath.Join(volume, "goodlink")); err != nil || target != `\` {
		t.Errorf("APP-21 a link leads to %q: %v", target, err)
	}
	l.isBack("kept")
}
