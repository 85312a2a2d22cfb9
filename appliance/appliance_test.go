package appliance

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
)

func TestSeedOfTheGardenletIsValid(t *testing.T) {
	landscape := &config.Landscape{}
	config.SetDefaults(landscape)
	a := &appliance{Options: Options{Config: landscape}, state: &state{
		identity: store.Identity{Seed: "local", Domain: "example.org", PodCIDR: "127.64.0.0/16", ServiceCIDR: "127.96.0.0/16"},
		ports:    ports{"gardenlet": 1},
	}}
	cfg, err := a.gardenletConfiguration("127.0.0.0/24")
	if err != nil {
		t.Fatal(err)
	}
	seed := &gardencorev1beta1.Seed{ObjectMeta: cfg.SeedConfig.ObjectMeta, Spec: cfg.SeedConfig.Spec}
	gardencorev1beta1.SetObjectDefaults_Seed(seed)
	if errs := validation.ValidateSeed(seed); len(errs) > 0 {
		t.Error(errs.ToAggregate())
	}
}

func TestSeedReady(t *testing.T) {
	all := func(status gardencorev1beta1.ConditionStatus) *gardencorev1beta1.Seed {
		seed := &gardencorev1beta1.Seed{}
		for _, kind := range []gardencorev1beta1.ConditionType{"Bootstrapped", "GardenletReady", "ExtensionsReady", "SeedSystemComponentsHealthy"} {
			seed.Status.Conditions = append(seed.Status.Conditions, gardencorev1beta1.Condition{Type: kind, Status: status, Message: "why"})
		}
		return seed
	}
	if err := SeedReady(all(gardencorev1beta1.ConditionTrue)); err != nil {
		t.Error(err)
	}
	starting := all(gardencorev1beta1.ConditionTrue)
	starting.Status.Conditions[3].Status = gardencorev1beta1.ConditionProgressing
	if err := SeedReady(starting); err != nil {
		t.Errorf("a seed whose components are being started: %v", err)
	}
	bootstrapping := all(gardencorev1beta1.ConditionTrue)
	bootstrapping.Status.Conditions[0].Status = gardencorev1beta1.ConditionProgressing
	for name, seed := range map[string]*gardencorev1beta1.Seed{"no conditions": {}, "a condition that is False": all(gardencorev1beta1.ConditionFalse), "a bootstrap that goes on": bootstrapping} {
		if err := SeedReady(seed); err == nil {
			t.Errorf("%s: want an error that names it", name)
		}
	}
}

func TestSameLandscape(t *testing.T) {
	cfg, err := config.Load("", nil)
	if err != nil {
		t.Fatal(err)
	}
	id := store.Identity{Name: cfg.Name, Domain: cfg.Domain, Seed: cfg.Seed.Name, PodCIDR: cfg.Seed.PodCIDR, ServiceCIDR: cfg.Seed.ServiceCIDR}
	if err := sameLandscape(cfg, id); err != nil {
		t.Error(err)
	}
	id.PodCIDR = "127.70.0.0/16"
	if err := sameLandscape(cfg, id); err == nil || !strings.Contains(err.Error(), "seed.podCIDR") {
		t.Errorf("got %v, want an error that names the key", err)
	}
}

func TestLastFailureKeepsItsKind(t *testing.T) {
	p := newPaths(t)
	for name, failure := range map[string]error{
		"a port in use": &InUseError{Address: "127.0.0.1:1", For: "front door", Setting: "--port", Err: syscall.EADDRINUSE},
		"running":       daemon.ErrRunning,
		"state":         ErrState,
	} {
		t.Run(name, func(t *testing.T) {
			if err := noteFailure(p, failure); err != nil {
				t.Fatal(err)
			}
			got := LastFailure(p)
			if want, ok := errors.AsType[*InUseError](failure); ok {
				if have, ok := errors.AsType[*InUseError](got); !ok || have.Hint() != want.Hint() {
					t.Errorf("got %v", got)
				}
			} else if !errors.Is(got, failure) {
				t.Errorf("got %v", got)
			}
		})
	}
	if err := noteFailure(p, nil); err != nil || LastFailure(p) != nil {
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
		if found, err := Purge(cfg, p); !found || err != nil {
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
		if err := errors.Join(err, s.AddItem(store.Item{Kind: itemPath, ID: elsewhere}), s.Close(), os.Mkdir(elsewhere, 0o700)); err != nil {
			t.Fatal(err)
		}
		if _, err := Purge(cfg, p); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(elsewhere); !os.IsNotExist(err) {
			t.Error("it is still there")
		}
	})
	t.Run("keeps what is not the landscape's", func(t *testing.T) {
		p := newPaths(t)
		foreign := filepath.Join(p.Root(), "thesis.tex")
		s, err := store.Open(p.Store())
		if err := errors.Join(err, s.Close(), os.WriteFile(foreign, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, err := Purge(cfg, p); err == nil {
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
