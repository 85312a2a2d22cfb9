package state

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/store"
)

func TestLastReadable(t *testing.T) {
	own := store.Release{Format: 3, Kubernetes: "1.36"}
	for name, tc := range map[string]struct {
		copies []string
		want   string
	}{
		"no copy": {},
		"the newest one": {copies: []string{"20260101-000000-format-2-kubernetes-1.36", "20260102-000000-format-3-kubernetes-1.36"},
			want: "20260102-000000-format-3-kubernetes-1.36"},
		"no newer format": {copies: []string{"20260101-000000-format-3-kubernetes-1.36", "20260102-000000-format-4-kubernetes-1.36"},
			want: "20260101-000000-format-3-kubernetes-1.36"},
		"no newer Kubernetes":                          {copies: []string{"20260101-000000-format-3-kubernetes-1.37"}},
		"one of an unknown Kubernetes":                 {copies: []string{"20260101-000000-format-1-kubernetes-unknown"}, want: "20260101-000000-format-1-kubernetes-unknown"},
		"nothing that is half made or of another name": {copies: []string{"partial", "2026-notes"}},
	} {
		t.Run("APP-6 "+name, func(t *testing.T) {
			p := newPaths(t)
			for _, dir := range tc.copies {
				if err := os.MkdirAll(filepath.Join(p.Root(), Upgrades, dir), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			want := tc.want
			if want != "" {
				want = filepath.Join(Upgrades, want)
			}
			if got := lastReadable(p, own); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestWayBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's a directory")
	p, err := paths.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	last := store.Release{Format: 2, Kubernetes: "1.36"}
	for _, each := range []paths.Paths{p, p.Seed("two")} {
		put(t, each.Store(), "before")
		put(t, filepath.Join(each.PKI(), "ca.key"), "before")
		put(t, filepath.Join(each.Etcd("main"), "db"), "before")
		put(t, filepath.Join(each.Volumes(), "data"), "before")
		if err := keepCopy(each, last); err != nil {
			t.Fatal(err)
		}
		put(t, each.Store(), "after")
		put(t, filepath.Join(each.Etcd("main"), "db"), "after")
		put(t, filepath.Join(each.Etcd("other"), "db"), "after")
		put(t, filepath.Join(each.Volumes(), "data"), "after")
	}
	put(t, p.Seed("new").Store(), "after") // no copy of this one
	if out, err := exec.Command("sh", "-c", wayBack(p, last)).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", wayBack(p, last), err, out)
	}
	for _, each := range []paths.Paths{p, p.Seed("two")} {
		for file, want := range map[string]string{
			each.Store(): "before", filepath.Join(each.PKI(), "ca.key"): "before", filepath.Join(each.Etcd("main"), "db"): "before",
			filepath.Join(each.Etcd("other"), "db"): "", filepath.Join(each.Volumes(), "data"): "after",
		} {
			if got, _ := os.ReadFile(file); string(got) != want {
				t.Errorf("APP-6 %s has %q, want %q", strings.TrimPrefix(file, dir), got, want)
			}
		}
	}
	if got, _ := os.ReadFile(p.Seed("new").Store()); string(got) != "after" {
		t.Errorf("the state of a seed without a copy is %q", got)
	}
}

func TestCopyNameIsReadBack(t *testing.T) {
	want := store.Release{Format: 12, Kubernetes: "1.36"}
	if got, ok := copiedRelease(copyName(time.Now(), want)); !ok || got != want {
		t.Errorf("got %+v, %v", got, ok)
	}
}

func put(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := pki.WriteFile(file, []byte(content)); err != nil {
		t.Fatal(err)
	}
}
