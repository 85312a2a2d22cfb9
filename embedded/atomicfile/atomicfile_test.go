package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

var errBoom = errors.New("boom")

func check(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != content || info.Mode().Perm() != mode {
		t.Errorf("file holds %q with mode %o, want %q with %o", got, info.Mode().Perm(), content, mode)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("directory holds %v (%v), want one file", entries, err)
	}
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, step := range []struct {
		content string
		mode    fs.FileMode
	}{{"first", 0o666}, {"second", 0o600}} {
		if err := atomicfile.Write(path, []byte(step.content), step.mode); err != nil {
			t.Fatal(err)
		}
		check(t, path, step.content, step.mode)
	}
}

func TestFailureLeavesTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := atomicfile.Write(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := atomicfile.WriteBy(path, 0o600, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return errBoom
	})
	if !errors.Is(err, errBoom) {
		t.Errorf("error is %v, want %v", err, errBoom)
	}
	check(t, path, "old", 0o600)
	if err := atomicfile.Write(filepath.Join(path, "below"), nil, 0o600); err == nil {
		t.Error("a file below a file was written")
	}
}

func TestUpdateLeavesWhatIsTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dir", "file")
	var before fs.FileInfo
	for range 2 {
		if err := atomicfile.Update(path, []byte("same"), 0o600, 0o700); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if before != nil && !os.SameFile(before, info) {
			t.Error("the file was replaced")
		}
		before = info
	}
	if err := atomicfile.Update(path, []byte("other"), 0o600, 0o700); err != nil {
		t.Fatal(err)
	}
	check(t, path, "other", 0o600)
}

func TestLink(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "link")
	for _, target := range []string{"first", "second"} {
		if err := atomicfile.Link(path, target); err != nil {
			t.Fatal(err)
		}
		if got, err := os.Readlink(path); err != nil || got != target {
			t.Errorf("link leads to %q (%v), want %q", got, err, target)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("directory holds %v (%v), want one link", entries, err)
	}
}

func TestMove(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	if err := os.MkdirAll(filepath.Join(from, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Move(from, to); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(to, "below")); err != nil {
		t.Error(err)
	}
	if err := atomicfile.Move(from, to); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v", err)
	}
}

func TestIsTemporary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file.json")
	err := atomicfile.WriteBy(path, 0o600, func(w io.Writer) error {
		if name := filepath.Base(w.(*os.File).Name()); !atomicfile.IsTemporary(name) {
			t.Errorf("%s is not recognised", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if atomicfile.IsTemporary("file.json") {
		t.Error("file.json is taken for a temporary file")
	}
}
