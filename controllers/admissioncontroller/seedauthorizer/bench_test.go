package seedauthorizer

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
)

// populated has the shoots given on the seeds given, each in one of 50 projects, all with the same cloud profile.
func populated(shoots, seeds int) *graph.Graph {
	g := &graph.Graph{}
	for i := range shoots {
		project, name := fmt.Sprintf("garden-%d", i%50), fmt.Sprintf("shoot-%d", i)
		shoot, seed := at(graph.Shoot, project, name), at(graph.Seed, "", fmt.Sprintf("seed-%d", i%seeds))
		binding := at(graph.SecretBinding, project, name)
		g.Set(shoot, []graph.Edge{
			{From: shoot, To: seed}, {From: binding, To: shoot}, {From: at(graph.Namespace, "", project), To: shoot},
			{From: at(graph.CloudProfile, "", "profile"), To: shoot}, {From: at(graph.Secret, project, name+"-dns"), To: shoot},
		})
		g.Set(binding, []graph.Edge{{From: at(graph.Secret, project, name+"-cloud"), To: binding}})
	}
	apart := at(graph.Seed, "", "apart") // has no shoots
	g.Set(apart, []graph.Edge{{From: at(graph.Namespace, "", "seed-apart"), To: apart}})
	return g
}

// BenchmarkDecision tells the 99th percentile of a decision with 1,000 shoots on 20 seeds.
func BenchmarkDecision(b *testing.B) {
	g, rules := populated(1000, 20), Rules()
	for name, q := range map[string]Question{
		"allowed, a secret of a shoot":              {Seed: "seed-7", Verb: "get", Resource: "secrets", Namespace: "garden-7", Name: "shoot-7-cloud"},
		"refused, a secret of another seed's shoot": {Seed: "seed-8", Verb: "get", Resource: "secrets", Namespace: "garden-7", Name: "shoot-7-cloud"},
		"refused, a profile of all shoots":          {Seed: "apart", Verb: "get", Group: "core.gardener.cloud", Resource: "cloudprofiles", Name: "profile"},
	} {
		b.Run(name, func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				begin := time.Now()
				decide(rules, g, q)
				times = append(times, time.Since(begin))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds()), "p99-ns")
		})
	}
}
