package kubeconfigs

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/dependency"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// References checks Secrets to which a Shoot or a Seed begins to refer.
type References struct {
	// Reader reads the Secrets of the garden without a cache.
	Reader client.Reader
}

// Handle implements admission.Handler.
func (r References) Handle(ctx context.Context, request admission.Request) admission.Response {
	references, err := added(request)
	if err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	for _, at := range references {
		secret := &corev1.Secret{}
		err := r.Reader.Get(ctx, client.ObjectKey{Namespace: at.Namespace, Name: at.Name}, secret)
		if apierrors.IsNotFound(err) {
			continue // another check demands that it exists
		}
		if err != nil {
			return admission.Errored(http.StatusInternalServerError, fmt.Errorf("read secret %q: %w", at.Namespace+"/"+at.Name, err))
		}
		if err := check(secret, nil, true); err != nil {
			return refused(err)
		}
	}
	return admission.Allowed("")
}

// added returns the Secrets that the object refers to and did not before.
func added(request admission.Request) ([]graph.Vertex, error) {
	before := map[graph.Vertex]bool{}
	if request.Operation == admissionv1.Update {
		old, err := secretsOf(request.Kind.Kind, request.OldObject.Raw)
		if err != nil {
			return nil, err
		}
		for _, v := range old {
			before[v] = true
		}
	}
	now, err := secretsOf(request.Kind.Kind, request.Object.Raw)
	if err != nil {
		return nil, err
	}
	var out []graph.Vertex
	for _, v := range now {
		if !before[v] {
			before[v] = true
			out = append(out, v)
		}
	}
	return out, nil
}

func secretsOf(kind string, raw []byte) ([]graph.Vertex, error) {
	var object client.Object = &gardencorev1beta1.Shoot{}
	if kind == "Seed" {
		object = &gardencorev1beta1.Seed{}
	}
	if err := json.Unmarshal(raw, object); err != nil {
		return nil, fmt.Errorf("decode %s: %w", kind, err)
	}
	var out []graph.Vertex
	_, edges := dependency.Of(object)
	for _, edge := range edges {
		if edge.From.Kind == graph.Secret {
			out = append(out, edge.From)
		}
	}
	return out, nil
}
