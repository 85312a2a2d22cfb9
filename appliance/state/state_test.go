package state

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/ledger"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
)

func TestSameLandscape(t *testing.T) {
	cfg, err := config.Load("", nil)
	if err != nil {
		t.Fatal(err)
	}
	id := store.Identity{Name: cfg.Name, Domain: cfg.Domain, Seed: cfg.Seed.Name, PodCIDR: cfg.Seed.PodCIDR, ServiceCIDR: cfg.Seed.ServiceCIDR}
	if err := Same(cfg, id); err != nil {
		t.Error(err)
	}
	t.Run("a seed keeps its nodes", func(t *testing.T) {
		more := *cfg
		more.Seed.Nodes = 3
		if err := Same(&more, id); err == nil || !strings.Contains(err.Error(), `seed.nodes "1", not "3"`) {
			t.Errorf("got %v, want an error that names both numbers", err)
		}
		one := *cfg
		one.Seed.Nodes = 1 // the default of a kind seed; the stored landscape is older than the setting
		if err := Same(&one, id); err != nil {
			t.Error(err)
		}
	})
	id.PodCIDR = "127.70.0.0/16"
	if err := Same(cfg, id); err == nil || !strings.Contains(err.Error(), "seed.podCIDR") {
		t.Errorf("got %v, want an error that names the key", err)
	}
}

func TestLastFailureKeepsItsKind(t *testing.T) {
	p := newPaths(t)
	for name, failure := range map[string]error{
		"a port in use": &InUseError{Address: "127.0.0.1:1", For: "front door", Setting: "--port", Err: syscall.EADDRINUSE},
		"running":       daemon.ErrRunning,
		"state":         ErrDirectory,
		"a newer state": ErrNewer,
		"a full disk":   fault.New(fault.Disk, ErrDirectory),
	} {
		t.Run(name, func(t *testing.T) {
			if err := NoteFailure(p, failure); err != nil {
				t.Fatal(err)
			}
			got := LastFailure(p)
			if fault.Of(got) != fault.Of(failure) {
				t.Errorf("APP-35 the ID is %q, not %q", fault.Of(got), fault.Of(failure))
			}
			if want, ok := errors.AsType[*InUseError](failure); ok {
				if have, ok := errors.AsType[*InUseError](got); !ok || have.Hint() != want.Hint() {
					t.Errorf("got %v", got)
				}
			} else if !errors.Is(got, failure) && !errors.Is(got, errors.Unwrap(failure)) {
				t.Errorf("got %v", got)
			}
		})
	}
	if err := NoteFailure(p, nil); err != nil || LastFailure(p) != nil {
		t.Errorf("a new start does not forget: %v, %v", err, LastFailure(p))
	}
}

func TestPurge(t *testing.T) {
	cfg, err := config.Load("", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("removes a landscape whose volumes forbid it", func(t *testing.T) {
		p := newPaths(t)
		locked := filepath.Join(p.Volumes(), "ns", "claim")
		if err := errors.Join(os.MkdirAll(locked, 0o700), os.WriteFile(filepath.Join(locked, "f"), nil, 0o400), os.Chmod(locked, 0)); err != nil {
			t.Fatal(err)
		}
		if found, err := Purge(cfg, p, nil); !found || err != nil {
			t.Fatalf("found %v, %v", found, err)
		}
		if _, err := os.Stat(p.Root()); !os.IsNotExist(err) {
			t.Error("the directory is still there")
		}
	})
	t.Run("removes what the inventory names", func(t *testing.T) {
		p := newPaths(t)
		elsewhere := filepath.Join(t.TempDir(), "made-by-the-landscape")
		s, err := store.Open(p.Store())
		if err := errors.Join(err, s.Inventory().Add(store.Item{Kind: store.ItemPath, ID: elsewhere}), s.Close(), os.Mkdir(elsewhere, 0o700)); err != nil {
			t.Fatal(err)
		}
		if _, err := Purge(cfg, p, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(elsewhere); !os.IsNotExist(err) {
			t.Error("it is still there")
		}
	})
	t.Run("APP-3 removes what the last good copy names when the store is damaged", func(t *testing.T) {
		p := newPaths(t)
		elsewhere := filepath.Join(t.TempDir(), "made-by-the-landscape")
		s, err := store.Open(p.Store())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ledger.Keep(p, s); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.Inventory().Add(store.Item{Kind: store.ItemPath, ID: elsewhere}), s.Close(), os.Mkdir(elsewhere, 0o700), os.Truncate(p.Store(), 0)); err != nil {
			t.Fatal(err)
		}
		if _, err := Purge(cfg, p, nil); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{elsewhere, p.Root()} {
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Errorf("%s is still there", path)
			}
		}
	})
	t.Run("keeps what is not the landscape's", func(t *testing.T) {
		p := newPaths(t)
		foreign := filepath.Join(p.Root(), "thesis.tex")
		s, err := store.Open(p.Store())
		if err := errors.Join(err, s.Close(), os.WriteFile(foreign, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, err := Purge(cfg, p, nil); err == nil {
			t.Error("want an error that says what is kept")
		}
		if _, err := os.Stat(foreign); err != nil {
			t.Error(err)
		}
	})
}

func newPaths(t *testing.T) paths.Paths {
	t.Helper()
	p, err := paths.New(filepath.Join(t.TempDir(), "state"))
	if err == nil {
		err = p.Create()
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}
