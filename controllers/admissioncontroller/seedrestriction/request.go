package seedrestriction

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
)

// patience is how long a refusal waits for the graph, which learns of new objects a moment after gardenlets do.
const patience = 500 * time.Millisecond

// request is one request of the gardenlet of a seed.
type request struct {
	admission.Request
	seed   string
	graph  *graph.Graph
	scheme *runtime.Scheme
	reader client.Reader // of the garden, without a cache
}

func kindOf(r admission.Request) schema.GroupKind {
	return schema.GroupKind{Group: r.Kind.Group, Kind: r.Kind.Kind}
}

// objects decodes the object and the one before. Either may be nil: the object in a deletion, the one before in a creation.
func (r request) objects() (object, old client.Object, err error) {
	if r.Operation != admissionv1.Delete && len(r.Object.Raw) == 0 || r.Operation != admissionv1.Create && len(r.OldObject.Raw) == 0 {
		return nil, nil, fmt.Errorf("a request to %s a %s has no object", strings.ToLower(string(r.Operation)), r.Kind.Kind)
	}
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
	made, err := r.scheme.New(schema.GroupVersionKind{Group: r.Kind.Group, Version: r.Kind.Version, Kind: r.Kind.Kind})
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

// belongs waits a moment for an object to belong to the seed.
func (r request) belongs(ctx context.Context, v graph.Vertex) bool {
	return r.wait(ctx, func() bool { return r.graph.Belongs(v, r.seed) })
}

// leads waits a moment for a way from an object to the seed.
func (r request) leads(ctx context.Context, v graph.Vertex) bool {
	return r.wait(ctx, func() bool { return r.graph.Leads(v, r.seed) })
}

func (r request) wait(ctx context.Context, until func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return r.graph.Wait(ctx, until)
}
