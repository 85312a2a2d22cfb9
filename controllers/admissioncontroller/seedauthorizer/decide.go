package seedauthorizer

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
)

// Question is a request of a gardenlet. Name is empty for requests about many objects, and for creations without a name.
type Question struct {
	Seed                  string
	Verb, Group, Resource string
	Subresource           string
	Namespace, Name       string
}

// answer to a question.
type answer int

const (
	never  answer = iota // whatever the graph says
	notNow               // because of the graph, which may be behind
	yes
)

// decide answers according to the rules and the graph.
func decide(rules map[schema.GroupResource]Rule, g *graph.Graph, q Question) answer {
	resource, known := rules[schema.GroupResource{Group: q.Group, Resource: q.Resource}]
	rule := resource
	if q.Subresource != "" {
		rule, known = resource.Subresources[q.Subresource]
	}
	if !known {
		return never
	}
	if slices.Contains(rule.Always, q.Verb) {
		return yes
	}
	mayNeeded, mayOwn := slices.Contains(rule.Needed, q.Verb), slices.Contains(rule.Own, q.Verb)
	relate := resource.relate
	if q.Verb == "create" && q.Name == "" {
		relate = resource.unnamed
	}
	if relate == nil || !mayNeeded && !mayOwn && !slices.Contains(rule.Absent, q.Verb) {
		return never
	}
	switch relation := relate(g, q.Seed, object{q.Namespace, q.Name}); {
	case relation == own && (mayOwn || mayNeeded), relation == needed && mayNeeded:
		return yes
	case slices.Contains(rule.Absent, q.Verb) && q.Name != "" && !g.Knows(graph.Vertex{Kind: rule.kind, Namespace: q.Namespace, Name: q.Name}):
		return yes
	}
	return notNow
}
