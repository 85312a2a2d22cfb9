package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// directory is a state directory that some binary has used, with a store that notes the release if there is one.
func directory(t *testing.T, last *store.Release) (*store.Store, paths.Paths) {
	t.Helper()
	p := newPaths(t)
	if err := p.Create(); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join(p.PKI(), "garden", "admin.key"), filepath.Join(p.PKI(), "garden", "gardenlet-two.crt"), filepath.Join(p.PKI(), "garden", "ca.key"), filepath.Join(p.Etcd("main"), "db")} {
		if err := pki.WriteFile(file, []byte(filepath.Base(file))); err != nil {
			t.Fatal(err)
		}
	}
	s, err := store.Open(p.Store())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if last != nil {
		if err := s.SetRelease(*last); err != nil {
			t.Fatal(err)
		}
	}
	return s, p
}

func copies(t *testing.T, p paths.Paths) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(p.Root(), Upgrades, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestAdopt(t *testing.T) {
	own := store.Release{Version: "v2.0.0", Format: 2, Kubernetes: "1.36"}
	for name, tc := range map[string]struct {
		last    *store.Release
		used    bool
		copied  bool
		refused []string // parts of the error
	}{
		"a new directory is noted":                         {},
		"one without a note is migrated after a copy":      {used: true, copied: true},
		"one of the same release stays":                    {last: &own, used: true},
		"another version of the same format needs no copy": {last: &store.Release{Version: "v1.9.0", Format: 2, Kubernetes: "1.36"}, used: true},
		"an older Kubernetes needs a copy":                 {last: &store.Release{Version: "v1.9.0", Format: 2, Kubernetes: "1.35"}, used: true, copied: true},
		"a newer format is refused":                        {last: &store.Release{Version: "v3.0.0", Format: 3, Kubernetes: "1.36"}, used: true, refused: []string{"v3.0.0", "v2.0.0", "state format 3"}},
		"a newer Kubernetes is refused":                    {last: &store.Release{Version: "v2.1.0", Format: 2, Kubernetes: "1.37"}, used: true, refused: []string{"v2.1.0", "1.37"}},
	} {
		t.Run("APP-6 "+name, func(t *testing.T) {
			s, p := directory(t, tc.last)
			err := adopt(s, p, Listeners{}, tc.used, own)
			if tc.refused != nil {
				for _, part := range tc.refused {
					if err == nil || !strings.Contains(err.Error(), part) {
						t.Errorf("error is %v, want %q in it", err, part)
					}
				}
				if got, _, _ := s.Release(); got != *tc.last {
					t.Errorf("the note of the release changed to %+v", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, ok, err := s.Release(); !ok || err != nil || got != own {
				t.Errorf("noted %+v, %v, %v", got, ok, err)
			}
			if made := copies(t, p); (len(made) == 1) != tc.copied {
				t.Errorf("copies: %v, want one: %t", made, tc.copied)
			}
		})
	}
}

func TestMigration(t *testing.T) {
	s, p := directory(t, nil)
	if err := adopt(s, p, Listeners{}, true, release("v2.0.0")); err != nil {
		t.Fatal(err)
	}
	t.Run("APP-20 certificates of administrators and gardenlets that last for a year are removed", func(t *testing.T) {
		for _, file := range []string{"admin.key", "gardenlet-two.crt"} {
			if _, err := os.Stat(filepath.Join(p.PKI(), "garden", file)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s is still there: %v", file, err)
			}
		}
		if _, err := os.Stat(filepath.Join(p.PKI(), "garden", "ca.key")); err != nil {
			t.Errorf("another key is gone: %v", err)
		}
	})
	t.Run("APP-6 the copy holds what was there, for its owner only", func(t *testing.T) {
		made := copies(t, p)
		if len(made) != 1 {
			t.Fatalf("copies: %v", made)
		}
		var files []string
		err := filepath.WalkDir(made[0], func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			if info, err := entry.Info(); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s has mode %s, %v", path, info.Mode(), err)
			}
			relative, err := filepath.Rel(made[0], path)
			files = append(files, relative)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"appliance.db", "etcd/main/db", "pki/garden/admin.key", "pki/garden/ca.key", "pki/garden/gardenlet-two.crt"}, files); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	})
	t.Run("APP-6 what a crash left of a copy does not count", func(t *testing.T) {
		if err := os.MkdirAll(filepath.Join(p.Root(), Upgrades, "partial", "pki"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := keepCopy(p, store.Release{Format: 9}); err != nil {
			t.Fatal(err)
		}
		if made := copies(t, p); len(made) != 2 || strings.Contains(strings.Join(made, " "), "partial") {
			t.Errorf("copies: %v", made)
		}
	})
}
