package kubeconfigs

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
)

// Secrets checks Secrets that are written.
type Secrets struct {
	// Graph says which Secrets Shoots and Seeds refer to.
	Graph *graph.Graph
}

// Handle implements admission.Handler.
func (s Secrets) Handle(_ context.Context, request admission.Request) admission.Response {
	secret, old := &corev1.Secret{}, &corev1.Secret{}
	if err := json.Unmarshal(request.Object.Raw, secret); err != nil {
		return admission.Errored(http.StatusBadRequest, fmt.Errorf("decode secret: %w", err))
	}
	if raw := request.OldObject.Raw; len(raw) > 0 {
		if err := json.Unmarshal(raw, old); err != nil {
			return admission.Errored(http.StatusBadRequest, fmt.Errorf("decode old secret: %w", err))
		}
	}
	secret.Namespace = request.Namespace
	referred := s.Graph.Needed(graph.Vertex{Kind: graph.Secret, Namespace: request.Namespace, Name: secret.Name}, graph.Shoot, graph.Seed)
	if err := check(secret, old.Data, referred); err != nil {
		return refused(err)
	}
	return admission.Allowed("")
}
