package state

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/paths"
)

func TestSplitEtcd(t *testing.T) {
	const etcdGarden, etcdSeed = "etcd-garden", "etcd-seed"
	former := func(t *testing.T) paths.Paths {
		t.Helper()
		p, err := paths.New(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{filepath.Join(p.Etcd(formerMain), "member", "snap", "db"), filepath.Join(p.Etcd(formerEvents), "member", "snap", "db")} {
			write(t, file, "data")
		}
		return p
	}
	names := []string{etcdSeed, etcdGarden}
	for name, tc := range map[string]struct {
		crashed func(t *testing.T, p paths.Paths)
		names   []string
	}{
		"the data of one etcd become those of two": {names: names},
		"the data of one etcd become those of one": {names: []string{etcdSeed}},
		"an unfinished copy is made again": {names: names, crashed: func(t *testing.T, p paths.Paths) {
			write(t, filepath.Join(p.Etcd(etcdSeed)+".unfinished", "member", "snap", "db"), "da")
		}},
		"a finished copy is kept": {names: names, crashed: func(t *testing.T, p paths.Paths) {
			write(t, filepath.Join(p.Etcd(etcdSeed), "member", "snap", "db"), "data")
		}},
		"nothing is left to do": {names: names, crashed: func(t *testing.T, p paths.Paths) {
			if err := splitEtcd(p, Listeners{Local: names}); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := former(t)
			if tc.crashed != nil {
				tc.crashed(t, p)
			}
			if err := splitEtcd(p, Listeners{Local: tc.names}); err != nil {
				t.Fatal(err)
			}
			entries, err := os.ReadDir(p.Etcd(""))
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, entry := range entries {
				found = append(found, entry.Name())
				if text, err := os.ReadFile(filepath.Join(p.Etcd(entry.Name()), "member", "snap", "db")); string(text) != "data" {
					t.Errorf("%s has %q, %v", entry.Name(), text, err)
				}
			}
			if want := slices.Sorted(slices.Values(tc.names)); !slices.Equal(found, want) {
				t.Errorf("found %v, want %v", found, want)
			}
		})
	}
	t.Run("a new landscape has nothing to split", func(t *testing.T) {
		p, err := paths.New(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if err := splitEtcd(p, Listeners{Local: names}); err != nil {
			t.Error(err)
		}
	})
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
