package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

var header = Header{Version: "v1", State: 4, Kubernetes: "1.36", Landscape: "local", Identity: "local-1", StateDir: "/state", Created: time.Unix(1, 0).UTC()}

func whole(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, header)
	if err != nil {
		t.Fatal(err)
	}
	file := func(name, text string) error {
		_, err := w.File(name, 0o640, Owner{}, int64(len(text)), strings.NewReader(text))
		return err
	}
	err = errors.Join(file("appliance.db", "store"), w.Dir("pki", 0o700, Owner{}), file("pki/ca.key", "secret"),
		w.Dir("volumes", 0o700, Owner{}), w.Dir("volumes/a", 0o555, Owner{}), file("volumes/a/data", strings.Repeat("data ", 1000)), w.Link("volumes/a/link", "../../../etc", Owner{}))
	w.Warn("something is missing")
	if _, closed := w.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
	return out.Bytes()
}

// crafted is an archive with any members.
func crafted(t *testing.T, members ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, header)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range members {
		if err := w.head(m, Owner{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func extract(t *testing.T, text []byte) (string, error) {
	t.Helper()
	outer := t.TempDir()
	dir := filepath.Join(outer, "in")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	_, _, err = Extract(t.Context(), bytes.NewReader(text), root)
	if entries, _ := os.ReadDir(outer); len(entries) != 1 {
		t.Errorf("there is something outside of the directory: %v", entries)
	}
	return dir, err
}

func TestArchive(t *testing.T) {
	text := whole(t)
	t.Run("APP-21 what is written is read again", func(t *testing.T) {
		got, manifest, err := Verify(t.Context(), bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		want := header
		want.Format = Format
		if got != want || len(manifest.Entries) != 7 || manifest.Bytes() != 5011 {
			t.Errorf("got %+v, %d entries, %d bytes", got, len(manifest.Entries), manifest.Bytes())
		}
		if diff := cmp.Diff([]string{"something is missing"}, manifest.Warnings); diff != "" {
			t.Error(diff)
		}
		if head, err := ReadHeader(bytes.NewReader(text)); err != nil || head != want {
			t.Errorf("the header alone is %+v, %v", head, err)
		}
	})
	t.Run("APP-21 extraction restores content, modes and links", func(t *testing.T) {
		dir, err := extract(t, text)
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(filepath.Join(dir, "volumes/a/data"))
		if err != nil || len(content) != 5000 {
			t.Errorf("%d bytes, %v", len(content), err)
		}
		for name, mode := range map[string]os.FileMode{"appliance.db": 0o640, "pki": 0o700, "volumes/a": 0o555} {
			if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != mode {
				t.Errorf("%s: %v, %v", name, info, err)
			}
		}
		if target, err := os.Readlink(filepath.Join(dir, "volumes/a/link")); err != nil || target != "../../../etc" {
			t.Errorf("link to %q, %v", target, err)
		}
	})
	t.Run("APP-21 an archive that is cut anywhere is refused", func(t *testing.T) {
		for n := range len(text) {
			if _, _, err := Verify(t.Context(), bytes.NewReader(text[:n])); !errors.Is(err, ErrDamaged) {
				t.Fatalf("the first %d of %d bytes: %v", n, len(text), err)
			}
		}
	})
	t.Run("APP-21 an archive with another byte is refused, or reads the same", func(t *testing.T) {
		_, want, _ := Verify(t.Context(), bytes.NewReader(text))
		for n := range text {
			changed := bytes.Clone(text)
			changed[n] ^= 0x10
			head, got, err := Verify(t.Context(), bytes.NewReader(changed))
			if err == nil && (head.Identity != header.Identity || !cmp.Equal(got, want)) {
				t.Fatalf("byte %d of %d: %+v", n, len(text), got)
			}
		}
	})
	t.Run("APP-21 something after the end is refused", func(t *testing.T) {
		if _, _, err := Verify(t.Context(), bytes.NewReader(append(bytes.Clone(text), "more"...))); !errors.Is(err, ErrDamaged) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("APP-21 an interrupted check ends with that reason", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := Verify(ctx, bytes.NewReader(text)); !errors.Is(err, context.Canceled) || errors.Is(err, ErrDamaged) {
			t.Errorf("got %v", err)
		}
	})
}

func TestForgedArchives(t *testing.T) {
	link := tar.Header{Typeflag: tar.TypeSymlink, Name: "a", Linkname: ".."}
	for name, members := range map[string][]tar.Header{
		"a path that leads out":            {{Typeflag: tar.TypeReg, Name: "../a"}},
		"a path that leads out later":      {{Typeflag: tar.TypeReg, Name: "a/../../b"}},
		"an absolute path":                 {{Typeflag: tar.TypeReg, Name: "/a"}},
		"a path through a link":            {link, {Typeflag: tar.TypeReg, Name: "a/b"}},
		"a path through a file":            {{Typeflag: tar.TypeReg, Name: "a"}, {Typeflag: tar.TypeReg, Name: "a/b"}},
		"a file in the place of a link":    {link, {Typeflag: tar.TypeReg, Name: "a"}},
		"a hard link":                      {{Typeflag: tar.TypeLink, Name: "a", Linkname: "/etc/passwd"}},
		"a device":                         {{Typeflag: tar.TypeChar, Name: "a"}},
		"a pipe":                           {{Typeflag: tar.TypeFifo, Name: "a"}},
		"a second header":                  {{Typeflag: tar.TypeReg, Name: headerName}},
		"a file that no manifest mentions": {{Typeflag: tar.TypeReg, Name: "a"}},
		"an endless name":                  {{Typeflag: tar.TypeReg, Name: strings.Repeat("a/", 3000) + "a"}},
	} {
		t.Run("APP-21 "+name+" is refused", func(t *testing.T) {
			if _, err := extract(t, crafted(t, members...)); !errors.Is(err, ErrDamaged) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("APP-21 a link that comes first is not followed", func(t *testing.T) {
		outside := t.TempDir()
		var out bytes.Buffer
		w, err := NewWriter(&out, header)
		if err != nil {
			t.Fatal(err)
		}
		_, failed := w.File("a/b", 0o600, Owner{}, 1, strings.NewReader("x"))
		if _, closed := w.Close(); errors.Join(err, failed, closed) != nil {
			t.Fatal(failed, closed)
		}
		dir := t.TempDir()
		if err := os.Symlink(outside, filepath.Join(dir, "a")); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		if _, _, err := Extract(t.Context(), &out, root); err == nil {
			t.Error("it is written through the link")
		}
		if entries, _ := os.ReadDir(outside); len(entries) != 0 {
			t.Errorf("there is %v outside", entries)
		}
	})
}

func TestOtherFormats(t *testing.T) {
	newer := header
	newer.Format = Format + 1
	var out bytes.Buffer
	packed, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	w := &Writer{packed: packed, tar: tar.NewWriter(packed), names: map[string]bool{}, files: map[string]bool{}}
	if err := w.json(headerName, newer); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Verify(t.Context(), &out); !errors.Is(err, ErrNewer) {
		t.Errorf("APP-21 a newer archive: %v", err)
	}
	for name, text := range map[string]string{"nothing": "", "text": "this is no archive", "a zstd of something else": packedText(t, "text")} {
		if _, _, err := Verify(t.Context(), strings.NewReader(text)); !errors.Is(err, ErrDamaged) {
			t.Errorf("APP-21 %s: %v", name, err)
		}
	}
}

func TestAWindowThatIsTooLargeIsRefused(t *testing.T) {
	var out bytes.Buffer
	packed, err := zstd.NewWriter(&out, zstd.WithWindowSize(64<<20), zstd.WithSingleSegment(false))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(packed, zeros{}, 100<<20); err != nil {
		t.Fatal(err)
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Verify(t.Context(), &out); !errors.Is(err, ErrDamaged) {
		t.Errorf("APP-21 a bomb: %v", err)
	}
}

func TestShortFiles(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out, header)
	if err != nil {
		t.Fatal(err)
	}
	short, err := w.File("volumes/a", 0o600, Owner{}, 10, strings.NewReader("short"))
	if err != nil || !short {
		t.Fatalf("short %v, %v", short, err)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, manifest, err := Verify(t.Context(), &out); err != nil || manifest.Bytes() != 10 {
		t.Errorf("APP-21 a file that became shorter: %+v, %v", manifest, err)
	}
}

func packedText(t *testing.T, text string) string {
	t.Helper()
	packed, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(packed.EncodeAll([]byte(text), nil))
}
