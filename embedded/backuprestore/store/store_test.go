package store

import (
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/azure/azuretest"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/gcs/gcstest"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/s3/s3test"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

func TestLocalStore(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	s, err := Open(ctx, Config{Provider: "Local", Container: "bucket", Prefix: "shoot--p--s--1-2/etcd-main", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	full := snapshot.Snapshot{Kind: snapshot.Full, End: 7, Created: time.Unix(1700000000, 0).UTC()}
	n, err := s.Write(ctx, full, func(w io.Writer) error { _, err := io.WriteString(w, "data"); return err })
	if err != nil || n != 4 {
		t.Fatal(n, err)
	}
	file := filepath.Join(dir, "bucket", "shoot--p--s--1-2", "etcd-main", "v2", "Full-00000000-00000007-1700000000")
	if content, err := os.ReadFile(file); err != nil || string(content) != "data" {
		t.Errorf("file: %q, %v", content, err)
	}

	t.Run("a snapshot that fails leaves nothing", func(t *testing.T) {
		errBoom := errors.New("boom")
		other := full
		other.End = 8
		if _, err := s.Write(ctx, other, func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return errBoom }); !errors.Is(err, errBoom) {
			t.Errorf("write: %v", err)
		}
		files, err := os.ReadDir(filepath.Dir(file))
		if err != nil || len(files) != 1 {
			t.Errorf("files %v, %v", files, err)
		}
	})
	full.Size = 4
	t.Run("MIG-14 members of the etcd leave each other notes", func(t *testing.T) { checkNotes(t, s) })
	if all, err := s.List(ctx); err != nil || cmp.Diff([]snapshot.Snapshot{full}, all) != "" {
		t.Errorf("list %+v, %v", all, err)
	}
	for range 2 { // a second deletion finds nothing
		if err := s.Delete(ctx, full); err != nil {
			t.Error(err)
		}
	}
	if all, err := s.List(ctx); err != nil || len(all) != 0 {
		t.Errorf("list %+v, %v", all, err)
	}
}

func TestObjectStores(t *testing.T) {
	ofS3, ofGoogle, ofAzure := s3test.Start(t, "bucket"), gcstest.Start(t, "bucket"), azuretest.Start(t, "bucket")
	for name, tc := range map[string]struct {
		provider string
		secret   map[string][]byte
		objects  func() map[string][]byte
	}{
		"S3": {"S3", map[string][]byte{
			"accessKeyID": []byte("id"), "secretAccessKey": []byte("key"), "region": []byte("here"), "endpoint": []byte(ofS3.URL), "s3ForcePathStyle": []byte("true"),
		}, ofS3.Objects},
		"Google": {"gcp", ofGoogle.Secret(t), ofGoogle.Objects},
		"Azure":  {"ABS", ofAzure.Secret(), ofAzure.Objects},
	} {
		t.Run("BKP-2 an etcd has a prefix in a bucket of "+name, func(t *testing.T) {
			s, err := Open(t.Context(), Config{Provider: tc.provider, Container: "bucket", Prefix: "shoot--p--s--1-2/etcd-main", Credentials: mount(t, tc.secret)})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			checkObjectStore(t, s, tc.objects)
			t.Run("MIG-14 members of the etcd leave each other notes", func(t *testing.T) { checkNotes(t, s) })
			if _, err := Open(t.Context(), Config{Provider: tc.provider, Container: "bucket", Prefix: "p", Credentials: t.TempDir()}); err == nil {
				t.Error("a Secret without keys is no error")
			}
			data, err := Open(t.Context(), Config{Provider: tc.provider, Container: "bucket", Prefix: "shoot--p--s--1-2/etcd-main", Secret: tc.secret})
			if err != nil {
				t.Fatal(err)
			}
			defer data.Close()
			if all, err := data.List(t.Context()); err != nil || len(all) != 5 {
				t.Errorf("with the data of the Secret: %d snapshots, %v", len(all), err)
			}
		})
	}
	if ofS3.Uploads()+ofGoogle.Uploads() != 0 {
		t.Errorf("%d and %d uploads are open", ofS3.Uploads(), ofGoogle.Uploads())
	}
	if _, err := Open(t.Context(), Config{Provider: "Swift", Container: "bucket", Prefix: "p"}); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "local, s3, gcs, abs") {
		t.Errorf("another provider: %v", err)
	}
}

// checkNotes leaves no notes.
func checkNotes(t *testing.T, s *Store) {
	t.Helper()
	notes := func(want int) []string {
		t.Helper()
		names, err := s.Notes(t.Context())
		if err != nil || len(names) != want {
			t.Fatalf("MIG-14 notes are %v, want %d; error %v", names, want, err)
		}
		return names
	}
	leave := func() {
		t.Helper()
		if err := s.Note(t.Context(), "etcd-main-0", time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	notes(0)
	leave()
	read := notes(1)
	if !NotedBy(read[0], "etcd-main-0") || NotedBy(read[0], "etcd-main-1") {
		t.Errorf("MIG-14 note %s", read[0])
	}
	leave()
	for range 2 { // a second removal finds nothing
		if err := s.RemoveNotes(t.Context(), read); err != nil {
			t.Error(err)
		}
	}
	if err := s.RemoveNotes(t.Context(), notes(1)); err != nil {
		t.Error(err)
	}
	notes(0)
}

// mount writes a Secret as the kubelet does.
func mount(t *testing.T, secret map[string][]byte) string {
	dir := t.TempDir()
	for name, content := range secret {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// checkObjectStore leaves five snapshots. The last one has several parts.
func checkObjectStore(t *testing.T, s *Store, objects func() map[string][]byte) {
	contents := []string{"data", "data", "", "more", strings.Repeat("0123456789", 12<<20/10)}
	var want []snapshot.Snapshot
	write := func(one snapshot.Snapshot, content string) (int64, error) {
		return s.Write(t.Context(), one, func(w io.Writer) error { _, err := io.WriteString(w, content); return err })
	}
	for i, content := range contents {
		one := snapshot.Snapshot{Kind: snapshot.Full, End: int64(i), Created: time.Unix(1700000000+int64(i), 0).UTC(), Size: int64(len(content))}
		if n, err := write(one, content); err != nil || n != one.Size {
			t.Fatal(n, err)
		}
		want = append(want, one)
	}
	errBoom := errors.New("boom")
	half := snapshot.Snapshot{Kind: snapshot.Full, End: 9, Created: time.Unix(1700000009, 0).UTC()}
	if _, err := s.Write(t.Context(), half, func(w io.Writer) error { _, _ = w.Write(make([]byte, 11<<20)); return errBoom }); !errors.Is(err, errBoom) {
		t.Errorf("write: %v", err)
	}
	extra := half
	extra.End = 10
	if _, err := write(extra, "data"); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a second deletion finds nothing
		if err := s.Delete(t.Context(), extra); err != nil {
			t.Error(err)
		}
	}
	all, err := s.List(t.Context())
	if diff := cmp.Diff(want, all); err != nil || diff != "" {
		t.Errorf("%v; snapshots (-want +got):\n%s", err, diff)
	}
	for i, one := range want {
		r, err := s.Open(t.Context(), one)
		if err != nil {
			t.Fatal(err)
		}
		if content, err := io.ReadAll(r); err != nil || string(content) != contents[i] {
			t.Errorf("content of %d bytes, %v; want %d", len(content), err, len(contents[i]))
		}
		_ = r.Close()
	}
	if got := objects()["shoot--p--s--1-2/etcd-main/v2/Full-00000000-00000001-1700000001"]; string(got) != "data" {
		t.Errorf("objects %v", slices.Collect(maps.Keys(objects())))
	}
}

func TestListWhileSnapshotsAreWritten(t *testing.T) {
	ctx := t.Context()
	s, err := Open(ctx, Config{Provider: "local", Container: "bucket", Prefix: "shoot/etcd-main", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const number = 200
	written := make(chan error, 1)
	go func() {
		var errs []error
		for i := range int64(number) {
			next := snapshot.Snapshot{Kind: snapshot.Delta, Start: i, End: i, Created: time.Unix(1700000000+i, 0).UTC()}
			_, err := s.Write(ctx, next, func(w io.Writer) error { _, err := io.WriteString(w, "data"); return err })
			errs = append(errs, err)
		}
		written <- errors.Join(errs...)
	}()
	for {
		if _, err := s.List(ctx); err != nil {
			t.Fatalf("list: %v", err)
		}
		select {
		case err := <-written:
			if all, listing := s.List(ctx); err != nil || listing != nil || len(all) != number {
				t.Errorf("%d snapshots, %v, %v", len(all), err, listing)
			}
			return
		default:
		}
	}
}

// The daemon of a landscape deletes backups that a container has written as root.
func TestLocalStoreGivesFilesAway(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	dir := t.TempDir()
	if err := os.Chown(dir, 4711, 4712); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), Config{Provider: "local", Container: "bucket", Prefix: "shoot/etcd-main", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Write(t.Context(), snapshot.Snapshot{Kind: snapshot.Full, End: 7, Created: time.Unix(1700000000, 0)}, func(io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	seen := 0
	err = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if owner := info.Sys().(*syscall.Stat_t); owner.Uid != 4711 || owner.Gid != 4712 {
			t.Errorf("BKP-6 %s belongs to %d:%d", path, owner.Uid, owner.Gid)
		}
		seen++
		return nil
	})
	if err != nil || seen != 6 {
		t.Errorf("%d files and directories, %v", seen, err)
	}
}

func TestValidate(t *testing.T) {
	good := Config{Provider: "local", Container: "b", Prefix: "p/etcd-main"}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Config){
		"bucket above the directory": func(c *Config) { c.Container = ".." },
		"bucket in another bucket":   func(c *Config) { c.Container = "a/b" },
		"prefix above the bucket":    func(c *Config) { c.Prefix = "../x" },
		"prefix that climbs":         func(c *Config) { c.Prefix = "a/../../x" },
		"absolute prefix":            func(c *Config) { c.Prefix = "/x" },
		"no prefix":                  func(c *Config) { c.Prefix = "" },
	} {
		t.Run(name, func(t *testing.T) {
			bad := good
			change(&bad)
			if bad.Validate() == nil {
				t.Errorf("%+v is accepted", bad)
			}
		})
	}
	if err := (Config{Provider: "tape", Container: "b", Prefix: "p"}).Validate(); !errors.Is(err, ErrUnsupported) {
		t.Errorf("provider tape: %v", err)
	}
}
