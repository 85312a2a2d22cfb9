package backup_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
)

// A backup that was made can be restored, whatever a pod has written into its volume, and other tenants lose nothing.
func TestTenantsCannotSpoilABackup(t *testing.T) {
	t.Run("APP-21 no name in a volume spoils a backup", spoiled)
}

func spoiled(t *testing.T) {
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

// An archive has what the disk holds: neither holes, nor a file once for each of its names.
func TestABackupIsNotLargerThanTheDisk(t *testing.T) {
	l := newLandscape(t)
	volume := filepath.Join(l.paths.Volumes(), ".shoots/moon/pv")
	check(t, os.MkdirAll(volume, 0o700))
	sparse, empty := filepath.Join(volume, "sparse"), filepath.Join(volume, "empty")
	file, err := os.Create(sparse)
	check(t, err)
	check(t, file.Truncate(2<<40))
	_, err = file.WriteAt([]byte("middle"), 1<<40)
	check(t, err)
	_, err = file.WriteAt([]byte("end"), 2<<40-3)
	check(t, err)
	check(t, file.Close())
	check(t, os.WriteFile(empty, nil, 0o600))
	check(t, os.Truncate(empty, 1<<40))
	content := strings.Repeat("large", 1<<18)
	check(t, os.WriteFile(filepath.Join(volume, "name-0"), []byte(content), 0o640))
	for i := range 20 {
		check(t, os.Link(filepath.Join(volume, "name-0"), filepath.Join(volume, fmt.Sprintf("name-%d", i+1))))
	}
	made := l.create(nil)
	if most := int64(20 << 20); made.Content > most || len(made.Warnings) > 0 {
		t.Errorf("APP-21 the backup has %d bytes; warnings %q", made.Content, made.Warnings)
	}
	l.purge()
	check(t, l.restore(made.File))
	for name, want := range map[string]int64{sparse: 2 << 40, empty: 1 << 40} {
		info, err := os.Stat(name)
		check(t, err)
		if stat := info.Sys().(*syscall.Stat_t); info.Size() != want || stat.Blocks*512 > 1<<20 {
			t.Errorf("APP-21 %s has %d bytes in %d blocks", name, info.Size(), stat.Blocks)
		}
	}
	file, err = os.Open(sparse)
	check(t, err)
	defer file.Close()
	text := make([]byte, 6)
	_, err = file.ReadAt(text, 1<<40)
	check(t, err)
	last := make([]byte, 3)
	_, err = file.ReadAt(last, 2<<40-3)
	check(t, err)
	if string(text) != "middle" || string(last) != "end" {
		t.Errorf("APP-21 the file has %q and %q", text, last)
	}
	info, err := os.Stat(filepath.Join(volume, "name-20"))
	check(t, err)
	if got, err := os.ReadFile(filepath.Join(volume, "name-7")); err != nil || string(got) != content || info.Sys().(*syscall.Stat_t).Nlink != 21 {
		t.Errorf("APP-21 a file with several names: %d bytes, %v", len(got), err)
	}
	l.isBack("kept")
}
