// Package seedauthorizer decides which requests of gardenlets the garden serves. An API server asks it by
// SubjectAccessReviews, after its other authorizers. It has no opinion on other users.
//
// It sees no bodies of requests. Package seedrestriction looks at those.
package seedauthorizer

import (
	"context"
	"fmt"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/seedidentity"
)

const (
	// patience is how long a refusal waits for the graph, which learns of new objects a moment after gardenlets do.
	patience = 500 * time.Millisecond
	// waiting is the number of refusals of one seed that may wait at once. As many shoots may begin on it at the same time.
	waiting = 20
)

// Authorizer answers SubjectAccessReviews.
type Authorizer struct {
	graph *graph.Graph
	rules map[schema.GroupResource]Rule
	seats seats
}

// New returns an authorizer that asks the graph.
func New(g *graph.Graph) *Authorizer {
	return &Authorizer{graph: g, rules: Rules()}
}

// Review answers a review. It blocks for a moment before it refuses something that may still become allowed.
func (a *Authorizer) Review(ctx context.Context, spec *authorizationv1.SubjectAccessReviewSpec) authorizationv1.SubjectAccessReviewStatus {
	seed, isGardenlet := seedidentity.Seed(spec.User, spec.Groups)
	if !isGardenlet {
		return authorizationv1.SubjectAccessReviewStatus{Reason: "the user is not a gardenlet"}
	}
	attributes := spec.ResourceAttributes
	if attributes == nil {
		return authorizationv1.SubjectAccessReviewStatus{Reason: "gardenlets have no rights of their own outside of resources"}
	}
	q := Question{
		Seed: seed, Verb: attributes.Verb, Group: attributes.Group, Resource: attributes.Resource, Subresource: attributes.Subresource,
		Namespace: attributes.Namespace, Name: attributes.Name,
	}
	if a.Allowed(ctx, q) {
		return authorizationv1.SubjectAccessReviewStatus{Allowed: true}
	}
	return authorizationv1.SubjectAccessReviewStatus{Reason: refusal(q)}
}

// Allowed answers a question, after waiting as Review does.
func (a *Authorizer) Allowed(ctx context.Context, q Question) bool {
	if answer := decide(a.rules, a.graph, q); answer != notNow {
		return answer == yes
	}
	leave, ok := a.seats.take(q.Seed)
	if !ok {
		return false
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return a.graph.Wait(ctx, func() bool { return decide(a.rules, a.graph, q) == yes })
}

func refusal(q Question) string {
	resource := q.Resource
	if q.Subresource != "" {
		resource += "/" + q.Subresource
	}
	return fmt.Sprintf("nothing connects this request for %s with seed %q", resource, q.Seed)
}
