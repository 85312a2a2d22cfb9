package appliance

import (
	"encoding/json"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/store"
)

func TestGardenletConfiguration(t *testing.T) {
	landscape := &config.Landscape{}
	config.SetDefaults(landscape)
	a := &appliance{Options: Options{Config: landscape}, state: &state{
		identity: store.Identity{Seed: "local", PodCIDR: "127.64.0.0/16", ServiceCIDR: "127.96.0.0/16", Domain: "local.gardener.cloud"},
		ports:    ports{"gardenlet": 12345},
	}}
	t.Run("GLT-10 the landscape's own configuration has no key without effect", func(t *testing.T) {
		cfg, err := a.gardenletConfiguration("127.0.0.0/24")
		if err != nil {
			t.Fatal(err)
		}
		if keys := cfg.WithoutEffect(); len(keys) > 0 || cfg.SeedConfig.Name != "local" {
			t.Errorf("keys %v, seed %q", keys, cfg.SeedConfig.Name)
		}
	})
	t.Run("GLT-12 the health is served on loopback", func(t *testing.T) {
		if got := (&managers{a: a}).health("gardenlet"); got != "https://127.0.0.1:12345/healthz" {
			t.Errorf("health at %q", got)
		}
	})
	t.Run("GLT-10 the user's keys lie over those of the landscape", func(t *testing.T) {
		landscape.Gardenlet = json.RawMessage(`{"logLevel": "error", "controllers": {"shoot": {"concurrentSyncs": 2}},
			"resources": {"capacity": {"shoots": "7"}}, "server": {"https": {"port": 2720}}}`)
		cfg, err := a.gardenletConfiguration("127.0.0.0/24")
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
		landscape.Gardenlet = json.RawMessage(`{"logLevel": "loud"}`)
		if _, err := a.gardenletConfiguration("127.0.0.0/24"); err == nil {
			t.Error("no error")
		}
	})
}
