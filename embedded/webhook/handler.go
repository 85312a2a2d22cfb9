package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// Object is a pointer to an API type.
type Object[T any] interface {
	*T
	client.Object
}

// Caused is an error with causes for programs.
type Caused interface {
	error
	Causes() []metav1.StatusCause
}

// Mutate makes a handler from a function that changes objects of one type in place. The namespace is that of the
// request, since objects made from templates do not have one yet. An error refuses the request. If it is a Caused, whoever made the request
// gets the causes.
func Mutate[T any, P Object[T]](change func(ctx context.Context, object P) error) admission.Handler {
	return admission.HandlerFunc(func(ctx context.Context, request admission.Request) admission.Response {
		object := P(new(T))
		if err := json.Unmarshal(request.Object.Raw, object); err != nil {
			return admission.Errored(http.StatusBadRequest, fmt.Errorf("decode object: %w", err))
		}
		before, err := json.Marshal(object) // this keeps fields that this program does not know
		if err != nil {
			return admission.Errored(http.StatusInternalServerError, fmt.Errorf("encode object: %w", err))
		}
		namespace := object.GetNamespace()
		object.SetNamespace(request.Namespace)
		if err := change(ctx, object); err != nil {
			return refused(err)
		}
		object.SetNamespace(namespace)
		after, err := json.Marshal(object)
		if err != nil {
			return admission.Errored(http.StatusInternalServerError, fmt.Errorf("encode object: %w", err))
		}
		return admission.PatchResponseFromRaw(before, after)
	})
}

func refused(err error) admission.Response {
	response := admission.Errored(http.StatusInternalServerError, err)
	if caused, ok := errors.AsType[Caused](err); ok {
		response.Result.Details = &metav1.StatusDetails{Causes: caused.Causes()}
	}
	return response
}
