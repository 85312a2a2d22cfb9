// Package seedrestriction looks into the bodies of requests of gardenlets, which package seedauthorizer cannot see. A
// gardenlet creates only what belongs to its seed, and adds no reference that would open another object to it.
package seedrestriction

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/seedidentity"
)

// patience is how long a refusal waits for the graph, which learns of new objects a moment after gardenlets do.
const patience = 500 * time.Millisecond

// Handler checks requests of gardenlets. It has no opinion on others.
type Handler struct {
	Graph  *graph.Graph
	Scheme *runtime.Scheme
	// Reader reads the Secrets of the garden without a cache.
	Reader client.Reader
}

// request is one request of the gardenlet of a seed.
type request struct {
	admission.Request
	Handler
	seed string
}

// Handle implements admission.Handler.
func (h Handler) Handle(ctx context.Context, r admission.Request) admission.Response {
	seed, isGardenlet := seedidentity.Seed(r.UserInfo.Username, r.UserInfo.Groups)
	if !isGardenlet {
		return admission.Allowed("")
	}
	one := request{Request: r, Handler: h, seed: seed}
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
	if r.Kind.Kind == "Event" { // of which no edge leads anywhere
		return r.event(ctx, object, old)
	}
	if r.Operation != admissionv1.Create {
		if reason := r.foreign(old); reason != "" {
			return reason, nil
		}
	}
	if r.Operation == admissionv1.Delete {
		return "", nil
	}
	return r.references(ctx, object, old)
}

func kindOf(r admission.Request) schema.GroupKind {
	return schema.GroupKind{Group: r.Kind.Group, Kind: r.Kind.Kind}
}

// objects decodes the object and the one before; either may be nil.
func (r request) objects() (object, old client.Object, err error) {
	if object, err = r.decode(r.Object.Raw); err != nil {
		return nil, nil, err
	}
	old, err = r.decode(r.OldObject.Raw)
	return object, old, err
}

func (r request) decode(raw []byte) (client.Object, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	made, err := r.Scheme.New(schema.GroupVersionKind{Group: r.Kind.Group, Version: r.Kind.Version, Kind: r.Kind.Kind})
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", r.Kind.Kind, err)
	}
	object, ok := made.(client.Object)
	if !ok {
		return nil, fmt.Errorf("decode %s: it is a %T", r.Kind.Kind, made)
	}
	if err := json.Unmarshal(raw, object); err != nil {
		return nil, fmt.Errorf("decode %s: %w", r.Kind.Kind, err)
	}
	if object.GetNamespace() == "" {
		object.SetNamespace(r.Namespace)
	}
	return object, nil
}
