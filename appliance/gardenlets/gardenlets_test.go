package gardenlets

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/store"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/ineffective"
)

func TestSeedOfTheGardenletIsValid(t *testing.T) {
	source := Source{
		Identity: store.Identity{Seed: "local", Domain: "example.org", PodCIDR: "127.64.0.0/16", ServiceCIDR: "127.96.0.0/16"},
		LogLevel: "info", HealthPort: 1, Zones: []string{"0", "1", "2"}, FurtherZones: []string{"a"},
	}
	cfg, err := source.First("127.0.0.0/24")
	if err != nil {
		t.Fatal(err)
	}
	if further, err := source.Describe("further", "127.65.0.0/16", "127.97.0.0/16"); err != nil || !slices.Equal(further.Spec.Provider.Zones, []string{"a"}) {
		t.Errorf("further seed is %+v: %v", further, err)
	}
	if zones := cfg.SeedConfig.Spec.Provider.Zones; len(zones) != 3 {
		t.Errorf("zones are %q", zones)
	}
	seed := &gardencorev1beta1.Seed{ObjectMeta: cfg.SeedConfig.ObjectMeta, Spec: cfg.SeedConfig.Spec}
	gardencorev1beta1.SetObjectDefaults_Seed(seed)
	if errs := validation.ValidateSeed(seed); len(errs) > 0 {
		t.Error(errs.ToAggregate())
	}
	if warnings := ineffective.Seed.Warnings(t.Context(), seed, nil); len(warnings) > 0 {
		t.Errorf("registering the seed causes warnings: %q", warnings)
	}
}

func TestGardenletConfiguration(t *testing.T) {
	source := Source{
		Identity: store.Identity{Seed: "local", PodCIDR: "127.64.0.0/16", ServiceCIDR: "127.96.0.0/16", Domain: "local.gardener.cloud"},
		LogLevel: "info", HealthPort: 12345,
	}
	t.Run("GLT-10 the landscape's own configuration has no key without effect", func(t *testing.T) {
		cfg, err := source.First("127.0.0.0/24")
		if err != nil {
			t.Fatal(err)
		}
		if keys := cfg.WithoutEffect(); len(keys) > 0 || cfg.SeedConfig.Name != "local" {
			t.Errorf("keys %v, seed %q", keys, cfg.SeedConfig.Name)
		}
	})
	t.Run("MIG-14 MIG-15 etcds of all seeds that the landscape makes check their owners, and those on kind do not need an answer", func(t *testing.T) {
		for nodes, stops := range map[string]bool{EmbeddedNodes: true, "172.18.0.0/16": false} {
			cfg, err := source.First(nodes)
			if err != nil {
				t.Fatal(err)
			}
			if got := cfg.SeedConfig.Spec.Settings.OwnerChecks; got == nil || !got.Enabled {
				t.Errorf("a seed with nodes in %s has %+v", nodes, got)
			}
			if seed := cfg.SeedConfig; helper.StopsForOthers(&gardencorev1beta1.Seed{ObjectMeta: seed.ObjectMeta, Spec: seed.Spec}) != stops {
				t.Errorf("etcds of a seed with nodes in %s are sure to stop: %v", nodes, !stops)
			}
		}
	})
	t.Run("GLT-12 the health is served on loopback", func(t *testing.T) {
		if got := source.Health(); got != "https://127.0.0.1:12345/healthz" {
			t.Errorf("health at %q", got)
		}
	})
	t.Run("GLT-10 the user's keys lie over those of the landscape", func(t *testing.T) {
		source.Keys = json.RawMessage(`{"logLevel": "error", "controllers": {"shoot": {"concurrentSyncs": 2}},
			"resources": {"capacity": {"shoots": "7"}}, "server": {"https": {"port": 2720}}}`)
		cfg, err := source.First("127.0.0.0/24")
		if err != nil {
			t.Fatal(err)
		}
		capacity := cfg.Resources.Capacity["shoots"]
		if cfg.LogLevel != "error" || *cfg.Controllers.Shoot.ConcurrentSyncs != 2 || capacity.String() != "7" || cfg.Server.HTTPS.Address() != "127.0.0.1:2720" {
			t.Errorf("configuration %+v", cfg)
		}
		if *cfg.Controllers.ShootCare.ConcurrentSyncs != 5 {
			t.Error("what the user left open has changed")
		}
	})
	t.Run("GLT-10 a wrong value is named", func(t *testing.T) {
		source.Keys = json.RawMessage(`{"logLevel": "loud"}`)
		if _, err := source.First("127.0.0.0/24"); err == nil {
			t.Error("no error")
		}
	})
}
