// Package namespacedeletion refuses the deletion of namespaces that projects still need.
package namespacedeletion

import (
	"context"
	"fmt"
	"net/http"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Handler checks deletions of Namespaces.
type Handler struct {
	// Reader reads the garden without a cache: a deletion cannot be taken back.
	Reader client.Reader
}

// Handle implements admission.Handler. API servers call it for each namespace of a collection.
func (h Handler) Handle(ctx context.Context, request admission.Request) admission.Response {
	projects := &gardencorev1beta1.ProjectList{}
	if err := h.Reader.List(ctx, projects, client.MatchingFields{"spec.namespace": request.Name}); err != nil {
		return admission.Errored(http.StatusInternalServerError, fmt.Errorf("read the project of namespace %q: %w", request.Name, err))
	}
	for i := range projects.Items {
		if project := &projects.Items[i]; project.DeletionTimestamp == nil {
			return admission.Denied(fmt.Sprintf("namespace %q belongs to project %q: delete the project instead", request.Name, project.Name))
		}
	}
	shoots := &gardencorev1beta1.ShootList{}
	if err := h.Reader.List(ctx, shoots, client.InNamespace(request.Name), client.Limit(1)); err != nil {
		return admission.Errored(http.StatusInternalServerError, fmt.Errorf("look for shoots in namespace %q: %w", request.Name, err))
	}
	if len(shoots.Items) > 0 {
		return admission.Denied(fmt.Sprintf("namespace %q still contains shoots, such as %q: delete them first", request.Name, shoots.Items[0].Name))
	}
	return admission.Allowed("")
}
