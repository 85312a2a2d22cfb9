// Package seedrestriction looks into the bodies of requests of gardenlets, which package seedauthorizer cannot see. A
// gardenlet creates only what belongs to its seed, and adds no reference that would open another object to it.
package seedrestriction

import (
	"context"
	"fmt"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/seedidentity"
)

// Handler checks requests of gardenlets. It has no opinion on others.
type Handler struct {
	Graph  *graph.Graph
	Scheme *runtime.Scheme
	// Reader reads the Secrets of the garden without a cache.
	Reader client.Reader
}

// Handle implements admission.Handler.
func (h Handler) Handle(ctx context.Context, r admission.Request) admission.Response {
	seed, isGardenlet := seedidentity.Seed(r.UserInfo.Username, r.UserInfo.Groups)
	if !isGardenlet {
		return admission.Allowed("")
	}
	one := request{Request: r, seed: seed, graph: h.Graph, scheme: h.Scheme, reader: h.Reader}
	reason, err := one.refusal(ctx)
	switch {
	case err != nil:
		return admission.Errored(http.StatusInternalServerError, err)
	case reason != "":
		return admission.Denied(fmt.Sprintf("the gardenlet of seed %q %s", seed, reason))
	}
	return admission.Allowed("")
}

// refusal returns why a request is refused; empty if it is not.
func (r request) refusal(ctx context.Context) (string, error) {
	object, old, err := r.objects()
	if err != nil {
		return "", err
	}
	check := creations()[kindOf(r.Request)]
	if check != nil && r.Operation == admissionv1.Create {
		if reason, err := check(ctx, r, object); err != nil || reason != "" {
			return reason, err
		}
	}
	if check := bootstraps()[kindOf(r.Request)]; check != nil && r.Operation != admissionv1.Delete {
		if reason, err := check(ctx, r, object); err != nil || reason != "" {
			return reason, err
		}
	}
	if r.Kind.Kind == "Event" { // of which no edge leads anywhere
		return r.event(ctx, object, old)
	}
	if r.Operation != admissionv1.Create {
		if reason := r.foreign(ctx, old); reason != "" {
			return reason, nil
		}
	}
	if r.Operation == admissionv1.Delete {
		return "", nil
	}
	if old != nil {
		if reason := r.names(object, old); reason != "" {
			return reason, nil
		}
	}
	return r.references(ctx, object, old)
}
