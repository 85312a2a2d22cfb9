package engine_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/appliance/engine"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/local/cluster"
)

func TestReplace(t *testing.T) {
	for name, tc := range map[string]struct {
		seeds   []string
		want    map[string]string // containers that are noted afterwards, by cluster
		unknown string
	}{
		"no seed changes nothing":             {want: map[string]string{"gardener-x": "1", "gardener-x.two": "2"}},
		"the first seed may be made again":    {seeds: []string{"local"}, want: map[string]string{"gardener-x": cluster.Anew, "gardener-x.two": "2"}},
		"so may a further one":                {seeds: []string{"two"}, want: map[string]string{"gardener-x": "1", "gardener-x.two": cluster.Anew}},
		"and all at once":                     {seeds: []string{"two", "local"}, want: map[string]string{"gardener-x": cluster.Anew, "gardener-x.two": cluster.Anew}},
		"a seed without a cluster is refused": {seeds: []string{"local", "three"}, want: map[string]string{"gardener-x": "1", "gardener-x.two": "2"}, unknown: "three"},
	} {
		t.Run("APP-4 "+name, func(t *testing.T) {
			p, err := paths.New(filepath.Join(t.TempDir(), "state"))
			if err := errors.Join(err, p.Create()); err != nil {
				t.Fatal(err)
			}
			s, err := store.Open(p.Store())
			if err != nil {
				t.Fatal(err)
			}
			for name, container := range map[string]string{"gardener-x": "1", "gardener-x.two": "2"} {
				err = errors.Join(err, s.Inventory().Add(store.Item{Kind: store.ItemCluster, ID: name}), s.Inventory().NoteMade(name, container))
			}
			if err := errors.Join(err, s.Inventory().Add(store.Item{Kind: store.ItemContainer, ID: "gardener-x.three"}), s.Close()); err != nil {
				t.Fatal(err)
			}
			err = engine.Replace(p, "x", "local", tc.seeds...)
			unknown, ok := errors.AsType[*engine.NoClusterError](err)
			if ok != (tc.unknown != "") || ok && unknown.Seed != tc.unknown || !ok && err != nil {
				t.Errorf("error %v, want one about %q", err, tc.unknown)
			}
			s, err = store.Read(p.Store())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			got := map[string]string{}
			for name := range tc.want {
				if got[name], err = s.Inventory().Made(name); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("noted containers (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("APP-4 a landscape that never ran has no cluster", func(t *testing.T) {
		p, err := paths.New(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := errors.AsType[*engine.NoClusterError](engine.Replace(p, "x", "local", "local")); !ok {
			t.Error("nothing is wrong")
		}
	})
}
