package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

func TestObjectStore(t *testing.T) {
	server, credentials := s3test.Start(t, "bucket"), t.TempDir()
	for name, content := range map[string]string{"accessKeyID": "id", "secretAccessKey": "key", "region": "here", "endpoint": server.URL, "s3ForcePathStyle": "true"} {
		if err := os.WriteFile(filepath.Join(credentials, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(t.Context(), Config{Provider: "S3", Container: "bucket", Prefix: "shoot--p--s--1-2/etcd-main", Credentials: credentials})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var want []snapshot.Snapshot
	for i := range int64(5) {
		one := snapshot.Snapshot{Kind: snapshot.Full, End: i, Created: time.Unix(1700000000+i, 0).UTC(), Size: 4}
		n, err := s.Write(t.Context(), one, func(w io.Writer) error { _, err := io.WriteString(w, "data"); return err })
		if err != nil || n != 4 {
			t.Fatal(n, err)
		}
		want = append(want, one)
	}
	errBoom := errors.New("boom")
	half := snapshot.Snapshot{Kind: snapshot.Full, End: 9, Created: time.Unix(1700000009, 0).UTC()}
	if _, err := s.Write(t.Context(), half, func(w io.Writer) error { _, _ = w.Write(make([]byte, 11<<20)); return errBoom }); !errors.Is(err, errBoom) {
		t.Errorf("write: %v", err)
	}
	if err := s.Delete(t.Context(), want[0]); err != nil {
		t.Error(err)
	}
	all, err := s.List(t.Context())
	if diff := cmp.Diff(want[1:], all); err != nil || diff != "" {
		t.Errorf("%v; snapshots (-want +got):\n%s", err, diff)
	}
	r, err := s.Open(t.Context(), want[1])
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if content, err := io.ReadAll(r); err != nil || string(content) != "data" {
		t.Errorf("content %q, %v", content, err)
	}
	if server.Uploads() != 0 || len(server.Objects()["shoot--p--s--1-2/etcd-main/v2/Full-00000000-00000001-1700000001"]) != 4 {
		t.Errorf("%d uploads, objects %v", server.Uploads(), server.Objects())
	}
	if _, err := Open(t.Context(), Config{Provider: "S3", Container: "bucket", Prefix: "p", Credentials: t.TempDir()}); err == nil {
		t.Error("a Secret without keys is no error")
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
