package graph_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
)

var (
	seedA   = graph.Vertex{Kind: graph.Seed, Name: "a"}
	seedB   = graph.Vertex{Kind: graph.Seed, Name: "b"}
	shoot   = graph.Vertex{Kind: graph.Shoot, Namespace: "p", Name: "s"}
	binding = graph.Vertex{Kind: graph.SecretBinding, Namespace: "p", Name: "s"}
	secret  = graph.Vertex{Kind: graph.Secret, Namespace: "p", Name: "s"}
)

func chain() *graph.Graph {
	g := &graph.Graph{}
	g.Set(binding, []graph.Edge{{From: secret, To: binding}})
	g.Set(shoot, []graph.Edge{{From: shoot, To: seedA}, {From: binding, To: shoot}})
	return g
}

func TestPaths(t *testing.T) {
	g := chain()
	for name, got := range map[string][2]bool{
		"GAC-8 a path leads from a secret over binding and shoot to the seed": {g.Leads(secret, "a"), true},
		"GAC-8 no path leads to another seed":                                 {g.Leads(secret, "b"), false},
		"GAC-8 a seed leads to itself":                                        {g.Leads(seedB, "b"), true},
		"GAC-8 the shoot belongs to the seed":                                 {g.Belongs(shoot, "a"), true},
		"GAC-8 the secret does not belong to the seed":                        {g.Belongs(secret, "a"), false},
		"GAC-9 the binding serves a shoot of the seed":                        {g.Serves(binding, graph.Shoot, "a"), true},
		"GAC-9 it serves no shoot of another seed":                            {g.Serves(binding, graph.Shoot, "b"), false},
		"GAC-9 the secret serves no shoot itself":                             {g.Serves(secret, graph.Shoot, "a"), false},
		"GAC-8 the shoot is known":                                            {g.Knows(shoot), true},
		"GAC-8 the secret is not known, since nothing says that it exists":    {g.Knows(secret), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got[0] != got[1] {
				t.Errorf("got %t", got[0])
			}
		})
	}
	t.Run("GAC-8 no path continues behind a seed", func(t *testing.T) {
		g := chain()
		managed := graph.Vertex{Kind: graph.ManagedSeed, Name: "a"}
		g.Set(managed, []graph.Edge{{From: seedA, To: managed}, {From: managed, To: seedB}})
		if g.Leads(secret, "b") {
			t.Error("the path goes on")
		}
	})
	t.Run("GAC-8 a circle does not hang", func(t *testing.T) {
		g := chain()
		g.Set(secret, []graph.Edge{{From: shoot, To: secret}})
		if g.Leads(secret, "b") {
			t.Error("found a path")
		}
	})
	t.Run("the seeds of a secret are all that need it", func(t *testing.T) {
		g := chain()
		g.Set(seedB, []graph.Edge{{From: secret, To: seedB}})
		if diff := cmp.Diff([]string{"a", "b"}, g.Seeds(secret)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestChanges(t *testing.T) {
	other := graph.Vertex{Kind: graph.Shoot, Namespace: "p", Name: "other"}
	t.Run("GAC-8 an edge stays while one of its sources stays", func(t *testing.T) {
		g := chain()
		g.Set(other, []graph.Edge{{From: other, To: seedA}, {From: binding, To: shoot}})
		g.Set(shoot, []graph.Edge{{From: shoot, To: seedA}})
		if !g.Leads(secret, "a") {
			t.Error("the edge is gone")
		}
		if g.Forget(other); g.Leads(secret, "a") {
			t.Error("the edge is still there")
		}
	})
	t.Run("GAC-8 a move to another seed takes the path along", func(t *testing.T) {
		g := chain()
		g.Set(shoot, []graph.Edge{{From: shoot, To: seedB}, {From: binding, To: shoot}})
		if g.Leads(secret, "a") || !g.Leads(secret, "b") {
			t.Errorf("edges: %v", g.Edges())
		}
	})
	t.Run("nothing is left of forgotten sources", func(t *testing.T) {
		g := chain()
		g.Forget(shoot)
		g.Forget(binding)
		if sources, edges := g.Sizes(); sources+edges+len(g.Edges()) != 0 {
			t.Errorf("%d sources, %d edges: %v", sources, edges, g.Edges())
		}
	})
	t.Run("who waits hears of changes only", func(t *testing.T) {
		g := chain()
		changed := g.Changed()
		g.Set(binding, []graph.Edge{{From: secret, To: binding}})
		select {
		case <-changed:
			t.Error("nothing changed")
		default:
		}
		g.Forget(binding)
		<-changed
	})
}
