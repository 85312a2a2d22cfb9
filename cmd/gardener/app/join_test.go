package app

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/store"
)

func TestJoinsCompareConfigurations(t *testing.T) {
	const warning = "runs with another configuration"
	for name, tc := range map[string]struct {
		running, wanted func(*config.Landscape)
		warning         string
		refused         string
	}{
		"APP-35 nothing differs":                        {},
		"APP-35 the port that the system has chosen":    {running: port(0), wanted: port(40001)},
		"APP-35 a port that the system shall choose":    {running: port(40001), wanted: port(0)},
		"APP-35 another port":                           {running: port(0), wanted: port(9443), warning: warning},
		"APP-35 another port than that of the start":    {running: port(40001), wanted: port(9443), warning: warning},
		"APP-35 another setting":                        {running: port(0), wanted: func(l *config.Landscape) { l.Log.Level = "debug" }, warning: warning},
		"APP-35 another provider can never take effect": {wanted: func(l *config.Landscape) { l.Seed.Provider = config.ProviderKind }, refused: `it belongs to a landscape with seed.provider "embedded", not "kind"`},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := paths.New(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			configured := func(change func(*config.Landscape)) *config.Landscape {
				cfg, err := config.Load("", func(l *config.Landscape) {
					l.StateDir, l.FrontDoor.Port = p.Root(), ptr.To[int32](40001)
					if change != nil {
						change(l)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				return cfg
			}
			running := configured(tc.running)
			if err := p.Create(); err != nil {
				t.Fatal(err)
			}
			if _, err := state.SaveConfig(running, p); err != nil {
				t.Fatal(err)
			}
			remember(t, p, running)
			got, err := (&landscape{Landscape: configured(tc.wanted), paths: p}).compare()
			if (got != "") != (tc.warning != "") || !strings.Contains(got, tc.warning) {
				t.Errorf("the warning is %q, want %q", got, tc.warning)
			}
			coded, _ := errors.AsType[*exitError](err)
			if (err != nil) != (tc.refused != "") || err != nil && (!strings.Contains(err.Error(), tc.refused) || fault.Of(err) != fault.Changed || coded.code != codeState) {
				t.Errorf("the error is %v, want %q", err, tc.refused)
			}
		})
	}
}

func port(number int32) func(*config.Landscape) {
	return func(l *config.Landscape) { l.FrontDoor.Port = &number }
}

// remember writes what a daemon knows of its landscape, with the front door at port 40001.
func remember(t *testing.T, p paths.Paths, cfg *config.Landscape) {
	t.Helper()
	s, err := store.Open(p.Store())
	if err != nil {
		t.Fatal(err)
	}
	id := store.Identity{Name: cfg.Name, Domain: cfg.Domain, Seed: cfg.Seed.Name, PodCIDR: cfg.Seed.PodCIDR, ServiceCIDR: cfg.Seed.ServiceCIDR}
	if err := errors.Join(s.SetIdentity(id), s.SetPort("front-door", 40001), s.Close()); err != nil {
		t.Fatal(err)
	}
}
