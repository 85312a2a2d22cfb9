package kind

import (
	"maps"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/store"
)

func TestFurther(t *testing.T) {
	s, err := store.Open(filepath.Join(t.TempDir(), "appliance.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	further := func(name string) *Further {
		t.Helper()
		seed := store.Seed{Name: name, NodeImage: "kindest/node:v1"}
		if err := s.SetSeed(seed); err != nil {
			t.Fatal(err)
		}
		f, err := NewFurther(FurtherInputs{Landscape: "x", Seed: seed, Store: s, Ports: state.Ports{"garden-apiserver": 20000}, Log: logr.Discard()})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	two, three := further("two"), further("three")
	t.Run("APP-8 seeds publish different ports and keep them", func(t *testing.T) {
		chosen := map[int32]string{20000: "garden-apiserver"}
		for _, f := range []*Further{two, three} {
			for _, listener := range Published() {
				name := f.listener(listener)
				if other, taken := chosen[f.ports[name]]; taken || f.ports[name] == 0 {
					t.Errorf("port %d of %s is that of %q", f.ports[name], name, other)
				}
				chosen[f.ports[name]] = name
			}
		}
		if again := further("two"); !maps.Equal(own(again), own(two)) {
			t.Errorf("ports were %v, and are %v", own(two), own(again))
		}
	})
	t.Run("APP-8 no two landscapes give a cluster the same name", func(t *testing.T) {
		if got := two.ClusterName(); got != "gardener-x.two" {
			t.Errorf("the cluster is %q", got)
		}
	})
}

// own are the ports that a seed publishes.
func own(f *Further) map[string]int32 {
	ports := map[string]int32{}
	for _, listener := range Published() {
		ports[listener] = f.ports[f.listener(listener)]
	}
	return ports
}
