package seedauthorizer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

// questions are those of gardenlets in a landscape with 1,000 shoots on 20 seeds.
var questions = map[string]Question{
	"allowed, a secret of a shoot":              {Seed: "seed-7", Verb: "get", Resource: "secrets", Namespace: "garden-7", Name: "shoot-7-cloud"},
	"refused, a secret of another seed's shoot": {Seed: "seed-8", Verb: "get", Resource: "secrets", Namespace: "garden-7", Name: "shoot-7-cloud"},
	"refused, a profile of all shoots":          {Seed: "apart", Verb: "get", Group: "core.gardener.cloud", Resource: "cloudprofiles", Name: "profile"},
}

// BenchmarkDecision tells the 99th percentile of a decision.
func BenchmarkDecision(b *testing.B) {
	g, rules := populated(1000, 20), Rules()
	for name, q := range questions {
		b.Run(name, func(b *testing.B) { percentile(b, func() { decide(rules, g, q) }) })
	}
}

// BenchmarkReview tells the 99th percentile of an answer to an API server, with its JSON and without the network. Refusals
// wait for the graph, so they are not measured.
func BenchmarkReview(b *testing.B) {
	authorizer, q := New(populated(1000, 20)), questions["allowed, a secret of a shoot"]
	body, err := json.Marshal(&authorizationv1.SubjectAccessReview{
		TypeMeta: metav1.TypeMeta{APIVersion: authorizationv1.SchemeGroupVersion.String(), Kind: "SubjectAccessReview"},
		Spec: authorizationv1.SubjectAccessReviewSpec{
			User: "gardener.cloud:system:seed:" + q.Seed, Groups: []string{"gardener.cloud:system:seeds", "system:authenticated"},
			ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: q.Verb, Resource: q.Resource, Namespace: q.Namespace, Name: q.Name},
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	percentile(b, func() {
		answer := httptest.NewRecorder()
		authorizer.ServeHTTP(answer, httptest.NewRequestWithContext(b.Context(), http.MethodPost, Path, bytes.NewReader(body)))
		if !bytes.Contains(answer.Body.Bytes(), []byte(`"allowed":true`)) {
			b.Fatalf("%d: %s", answer.Code, answer.Body)
		}
	})
}

func percentile(b *testing.B, ask func()) {
	var times []time.Duration
	for b.Loop() {
		begin := time.Now()
		ask()
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds()), "p99-ns")
}
