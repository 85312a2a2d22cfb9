package backupaccess

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/etcd"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
)

const prefix = "shoot--p--s--1-2/etcd-main"

func at(seed string) etcd.Location {
	return etcd.Location{Provider: "Local", Seed: seed, Bucket: "uid-" + seed, Prefix: prefix}
}

// open opens a bucket as the nodes of a seed see it.
func open(t *testing.T, dir, seed, bucket string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Config{Provider: "local", Container: "uid-" + bucket, Prefix: prefix, Dir: filepath.Join(dir, seed)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func write(t *testing.T, s *store.Store, what snapshot.Snapshot) {
	t.Helper()
	if _, err := s.Write(t.Context(), what, func(w io.Writer) error { _, err := io.WriteString(w, what.Key()); return err }); err != nil {
		t.Fatal(err)
	}
}

func contents(t *testing.T, s *store.Store) (all []string) {
	t.Helper()
	list, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range list {
		r, err := s.Open(t.Context(), one)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		_ = r.Close()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(content))
	}
	return all
}

var (
	first = snapshot.Snapshot{Kind: snapshot.Full, End: 7, Created: time.Unix(1700000000, 0).UTC()}
	last  = snapshot.Snapshot{Kind: snapshot.Full, End: 9, Created: time.Unix(1700000001, 0).UTC(), Final: true}
)

func TestAccess(t *testing.T) {
	t.Run("MIG-16 nodes of another seed read the backups of one shoot until the access ends", reads)
	t.Run("MIG-16 nodes of another seed cannot change the backups", writes)
	t.Run("MIG-16 a seed whose own bucket is elsewhere reads them, too", func(t *testing.T) {
		dir := t.TempDir()
		write(t, open(t, dir, "a", "a"), first)
		if err := (Copies{Dir: func(seed string) string { return filepath.Join(dir, seed) }}).Grant(t.Context(), at("a"), "b"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{first.Key()}, contents(t, open(t, dir, "b", "a"))); diff != "" {
			t.Errorf("snapshots that the other seed sees (-want +got):\n%s", diff)
		}
	})
	t.Run("MIG-16 what is no copy is replaced by one, and a copy stays", replaces)
}

// granted gives the nodes of seed b access to a backup of seed a. It returns the paths of both files.
func granted(t *testing.T) (Copies, string, string) {
	t.Helper()
	dir := t.TempDir()
	copies := Copies{Dir: func(seed string) string { return filepath.Join(dir, seed) }}
	write(t, open(t, dir, "a", "a"), first)
	if err := os.MkdirAll(filepath.Join(dir, "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := copies.Grant(t.Context(), at("a"), "b"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("uid-a", prefix, first.Key())
	return copies, filepath.Join(dir, "a", file), filepath.Join(dir, "b", file)
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func writes(t *testing.T) {
	_, source, target := granted(t)
	info, err := os.Stat(target)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o400 {
		t.Errorf("mode %v", info.Mode())
	}
	if err := errors.Join(os.Chmod(target, 0o600), os.WriteFile(target, []byte("evil"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if got := read(t, source); got != first.Key() {
		t.Errorf("MIG-16 the source has %q", got)
	}
}

func replaces(t *testing.T) {
	for name, spoil := range map[string]func(source, target string) error{
		"a hard link":         os.Link,
		"a symbolic link":     os.Symlink,
		"a half-written file": func(_, target string) error { return os.WriteFile(target, nil, 0o400) },
		"another file of the same size": func(_, target string) error {
			return os.WriteFile(target, []byte(strings.Repeat("x", len(first.Key()))), 0o400)
		},
	} {
		t.Run(name, func(t *testing.T) {
			copies, source, target := granted(t)
			if err := errors.Join(os.Remove(target), spoil(source, target)); err != nil {
				t.Fatal(err)
			}
			var before os.FileInfo
			for i := range 2 {
				if err := copies.Grant(t.Context(), at("a"), "b"); err != nil {
					t.Fatal(err)
				}
				after, err := os.Lstat(target)
				if err != nil {
					t.Fatal(err)
				}
				original, err := os.Lstat(source)
				if err != nil {
					t.Fatal(err)
				}
				if !after.Mode().IsRegular() || os.SameFile(after, original) || read(t, target) != first.Key() {
					t.Errorf("MIG-16 it has %v with %q", after.Mode(), read(t, target))
				}
				if i > 0 && !os.SameFile(before, after) {
					t.Error("it has been copied again")
				}
				before = after
			}
		})
	}
}

func reads(t *testing.T) {
	dir := t.TempDir()
	copies := Copies{Dir: func(seed string) string { return filepath.Join(dir, seed) }}
	source := open(t, dir, "a", "a")
	write(t, source, first)
	if err := os.MkdirAll(filepath.Join(dir, "b", "uid-b"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, add := range []func(){func() {}, func() { write(t, source, last) }} {
		add()
		if err := copies.Grant(t.Context(), at("a"), "b"); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{first.Key(), last.Key()}, contents(t, open(t, dir, "b", "a"))); diff != "" {
		t.Errorf("MIG-16 snapshots that the other seed sees (-want +got):\n%s", diff)
	}
	for range 2 {
		if err := copies.Revoke(t.Context(), etcd.Location{Bucket: "uid-a", Prefix: prefix}, "b"); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := os.ReadDir(filepath.Join(dir, "b")); err != nil || len(left) != 1 || left[0].Name() != "uid-b" {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if got := contents(t, source); len(got) != 2 {
		t.Errorf("the source has %q", got)
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	copies := Copies{Dir: func(seed string) string { return filepath.Join(dir, seed) }}
	for _, seed := range []string{"empty", "b", "victim"} {
		open(t, dir, seed, seed)
	}
	write(t, open(t, dir, "victim", "victim"), first)
	evil := filepath.Join(dir, "evil", "uid-evil", "shoot--p--s--1-2")
	if err := os.MkdirAll(evil, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../../victim/uid-victim/"+prefix, filepath.Join(evil, "etcd-main")); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		from etcd.Location
		want string
	}{
		"a bucket without backups":               {at("empty"), "has no backups"},
		"a seed without buckets":                 {at("gone"), "no such file"},
		"a bucket of another provider":           {etcd.Location{Provider: "S3", Seed: "a", Bucket: "b", Prefix: prefix}, "only those of provider"},
		"a seed that leads out of the directory": {etcd.Location{Provider: "local", Seed: "..", Bucket: "b", Prefix: prefix}, "cannot be the name"},
		"a bucket that leads out of its seed":    {etcd.Location{Provider: "local", Seed: "empty", Bucket: "../gone", Prefix: prefix}, "cannot be the name"},
		"a prefix that leads out of its bucket":  {etcd.Location{Provider: "local", Seed: "empty", Bucket: "uid-empty", Prefix: "../x"}, "cannot be a prefix"},
		"a link to the backups of another seed":  {at("evil"), "escapes"},
		"the bucket of the seed itself":          {at("b"), "belongs to seed"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := copies.Grant(t.Context(), tc.from, "b"); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, want %q", err, tc.want)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(dir, "gone")); err == nil {
		t.Error("it has made the directory that it looked for")
	}
}
