package archive

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// nasty are names of files that Linux takes.
var nasty = []string{
	`back\slash`, "\xff", "a\xc3", "new\nline", "\x01\x1b[31m", "\u2028", "\ufffd", "<&>", `"`, " ", "-", "...", "~", "a:b", "=", "1 path=x\n", "header.json",
	"ü", strings.Repeat("é", 127), strings.Repeat("\x01", 255), "PaxHeaders.0", "C:", "nul",
}

// Whatever a writer takes without an error, a reader reads, and Extract writes.
func TestWhatIsWrittenIsRead(t *testing.T) {
	t.Run("APP-21 what a writer takes can be read, whatever its name", nastyNames)
}

func nastyNames(t *testing.T) {
	deep := strings.Repeat(strings.Repeat("d", 200)+"/", 30) + "f"
	names := []string{deep, "../a", "/a", "a/../b", "a//b", "a/", "", ".", headerName, manifestName, "a\x00b"}
	for _, name := range nasty {
		names = append(names, "volumes/"+name)
	}
	var out bytes.Buffer
	w, err := NewWriter(&out, header)
	if err != nil {
		t.Fatal(err)
	}
	kept, keptTargets := map[string]bool{}, map[string]string{}
	take := func(name string, err error) bool {
		if err != nil && !errors.Is(err, ErrUnfit) {
			t.Fatalf("%q: %v", name, err)
		}
		return err == nil
	}
	for _, name := range names {
		_, err := w.File(name, 0o600, Owner{}, 1, strings.NewReader("x"))
		kept[name] = take(name, err)
		if kept[name] {
			_, err := w.File(name, 0o600, Owner{}, 1, strings.NewReader("x"))
			if take(name, err) {
				t.Errorf("%q is there twice", name)
			}
		}
	}
	for i, target := range append(nasty, "", strings.Repeat("t/", 3000)) {
		name := "volumes/links/" + strings.Repeat("l", i+1)
		if take(target, w.Link(name, target, Owner{})) {
			keptTargets[name] = target
		}
	}
	manifest, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range nasty {
		if kept["volumes/"+name] != utf8.ValidString(name) {
			t.Errorf("APP-21 %q is kept: %t", name, kept["volumes/"+name])
		}
	}
	if _, read, err := Verify(t.Context(), bytes.NewReader(out.Bytes())); err != nil || len(read.Entries) != len(manifest.Entries) {
		t.Fatalf("APP-21 %d of %d entries, %v", len(read.Entries), len(manifest.Entries), err)
	}
	dir, err := extract(t, out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range manifest.Entries {
		if found, err := filepath.Glob(filepath.Join(dir, filepath.Dir(entry.Path), "*")); err != nil || len(found) == 0 {
			t.Errorf("APP-21 %q is missing: %v", entry.Path, err)
		}
	}
	if len(keptTargets) < 10 {
		t.Errorf("%d links were kept", len(keptTargets))
	}
}

// A reader refuses more than a number of entries, and a manifest of more than a size.
func TestTheManifestHasRoomForAllEntries(t *testing.T) {
	w := &Writer{names: map[string]bool{}, files: map[string]bool{}}
	size := 0
	for _, name := range []string{"a", strings.Repeat("\x01", 4000), strings.Repeat("<", 100), strings.Repeat("a", 300)} {
		weight := Weight(name, name)
		text := 6 * 2 * len(name) // what JSON makes of it, at most
		if name[0] == 'a' {
			text = 2 * len(name)
		}
		if size = weight * unit; size < text+besideNames {
			t.Errorf("APP-21 %.10q weighs %d", name, weight)
		}
	}
	w.used = maxEntries - spare
	if err := w.fits(Entry{Path: "a", Kind: Dir}); !errors.Is(err, ErrFull) {
		t.Errorf("APP-21 a full archive: %v", err)
	}
	for range 1 << 16 {
		w.Warn(strings.Repeat("\x01", 5000))
	}
	total := 0
	for _, text := range w.manifest.Warnings {
		total += 6*len(text) + 3
	}
	if len(w.manifest.Warnings) < 100 || total > spare*unit {
		t.Errorf("APP-21 %d warnings have %d bytes", len(w.manifest.Warnings), total)
	}
}

// A forged archive cannot make a file of any size, or write it in any order.
func TestForgedHoles(t *testing.T) {
	for name, extents := range map[string][]Extent{
		"beyond the end":   {{90, 20}},
		"far beyond":       {{1 << 62, 1}},
		"one over another": {{10, 20}, {5, 1}},
	} {
		var out bytes.Buffer
		w, err := NewWriter(&out, header)
		if err != nil {
			t.Fatal(err)
		}
		_, failed := w.Sparse("volumes/a", 0o600, Owner{}, 100, extents, strings.NewReader(strings.Repeat("x", 100)))
		if _, err := w.Close(); failed != nil || err != nil {
			t.Fatal(failed, err)
		}
		if _, err := extract(t, out.Bytes()); !errors.Is(err, ErrDamaged) {
			t.Errorf("APP-21 holes %s: %v", name, err)
		}
	}
}
