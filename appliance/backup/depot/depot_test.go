package depot

import (
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gocloud.dev/blob/memblob"
)

var errBoom = errors.New("boom")

// settings of the URL of a store with the interface of S3.
const settings = "&use_path_style=true&region=here&request_checksum_calculation=when_required&response_checksum_validation=when_required"

func all(string) bool { return true }

// TestDepots holds all places to the same behaviour.
func TestDepots(t *testing.T) {
	for name, open := range map[string]func(*testing.T) (depot Depot, located string){
		"a directory": func(t *testing.T) (Depot, string) {
			dir := filepath.Join(t.TempDir(), "new")
			d, err := Open(t.Context(), dir)
			check(t, err)
			return d, filepath.Join(dir, "a")
		},
		"the URL of a directory": func(t *testing.T) (Depot, string) {
			dir := t.TempDir()
			d, err := Open(t.Context(), "file://"+dir)
			check(t, err)
			return d, filepath.Join(dir, "a")
		},
		"a bucket": func(t *testing.T) (Depot, string) {
			at, err := url.Parse("s3://bucket/some/prefix?region=here")
			check(t, err)
			return newBucket(memblob.OpenBucket(nil), at), "s3://bucket/some/prefix/a?region=here"
		},
		"a store with the interface of S3": func(t *testing.T) (Depot, string) {
			location := newStore(t) + settings
			d, err := Open(t.Context(), location)
			check(t, err)
			return d, strings.Replace(location, "?", "/a?", 1)
		},
	} {
		t.Run("APP-21 "+name, func(t *testing.T) {
			d, located := open(t)
			defer d.Close()
			if got := d.Locate("a"); got != located {
				t.Errorf("the archive is located at %s, want %s", got, located)
			}
			write(t, d, "a", "text")
			write(t, d, "b", "")
			write(t, d, "a", strings.Repeat("longer", 1000))
			got, err := d.List(t.Context(), all)
			if want := []Object{{"a", 6000}, {"b", 0}}; err != nil || !cmp.Equal(got, want) {
				t.Errorf("listed %v, %v, want %v", got, err, want)
			}
			if got, err := d.List(t.Context(), func(name string) bool { return name == "b" }); err != nil || len(got) != 1 {
				t.Errorf("listed %v, %v", got, err)
			}
			if got := read(t, d, "a"); got != strings.Repeat("longer", 1000) {
				t.Errorf("read %d bytes", len(got))
			}
			if _, err := d.Write(t.Context(), "c", func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return errBoom }); !errors.Is(err, errBoom) {
				t.Errorf("half an archive: %v", err)
			}
			if _, err := d.Open(t.Context(), "c"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("half an archive is there: %v", err)
			}
			check(t, d.Delete(t.Context(), "a"))
			if got, err := d.List(t.Context(), all); err != nil || len(got) != 1 {
				t.Errorf("left %v, %v", got, err)
			}
		})
	}
}

func write(t *testing.T, d Depot, name, text string) {
	t.Helper()
	n, err := d.Write(t.Context(), name, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	if err != nil || n != int64(len(text)) {
		t.Fatalf("wrote %d bytes, %v", n, err)
	}
}

func read(t *testing.T, d Depot, name string) string {
	t.Helper()
	file, err := d.Open(t.Context(), name)
	check(t, err)
	defer file.Close()
	text, err := io.ReadAll(file)
	check(t, err)
	return string(text)
}

// TestInterruptedReads looks whether an error of the network looks like one of the archive, which may be whole.
func TestInterruptedReads(t *testing.T) {
	d, err := Open(t.Context(), newStore(t)+settings)
	check(t, err)
	defer d.Close()
	write(t, d, cut, "text")
	for how, read := range map[string]func(io.Reader) error{
		"by reading": func(r io.Reader) error { _, err := io.ReadAll(r); return err },
		"by copying": func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err },
	} {
		file, err := d.Open(t.Context(), cut)
		check(t, err)
		err = read(file)
		if _, ofPlace := errors.AsType[*fs.PathError](err); !ofPlace {
			t.Errorf("APP-21 %s: %v", how, err)
		}
		_ = file.Close()
	}
}

func TestLocations(t *testing.T) {
	for location, want := range map[string]struct{ where, name string }{
		"monday.tar.zst":                         {".", "monday.tar.zst"},
		"/mnt/backups/monday.tar.zst":            {"/mnt/backups", "monday.tar.zst"},
		"s3://b/monday.tar.zst":                  {"s3://b/", "monday.tar.zst"},
		"s3://b/p/q/monday.tar.zst?region=x":     {"s3://b/p/q?region=x", "monday.tar.zst"},
		"azblob://b/monday.tar.zst.age":          {"azblob://b/", "monday.tar.zst.age"},
		"azblob://c/p/monday.tar.zst":            {"azblob://c/p", "monday.tar.zst"},
		"file:///mnt/monday.tar.zst":             {"file:///mnt", "monday.tar.zst"},
		"s3://b/p/../../other/monday.tar.zst?a=": {"s3://b/other?a=", "monday.tar.zst"},
	} {
		if where, name, err := Split(location); err != nil || where != want.where || name != want.name {
			t.Errorf("APP-21 %s is %q in %q, %v", location, name, where, err)
		}
	}
	for _, location := range []string{"", "ftp://host/a", "s3:///a", "s3://user:word@b/a", "file://host/a", "s3://%zz", "mem://", "gs://b/a"} {
		if err := Check(location); !errors.Is(err, ErrLocation) || strings.Contains(err.Error(), "word") {
			t.Errorf("APP-21 %q: got %v", location, err)
		}
	}
}

func TestDirectoryIsPrivate(t *testing.T) {
	d := directory(filepath.Join(t.TempDir(), "new"))
	write(t, d, "a", "secret")
	for file, want := range map[string]fs.FileMode{string(d): 0o700, d.Locate("a"): 0o600} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != want {
			t.Errorf("APP-21 %s: %v, %v", file, info, err)
		}
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
