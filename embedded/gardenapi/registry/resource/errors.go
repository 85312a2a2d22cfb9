package resource

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
)

// What etcd and its client say about requests above their limits, 1.5 MiB and 2 MiB.
var sizeErrors = []string{"etcdserver: request is too large", "trying to send message larger than max"}

// applyError is how the machinery of server-side apply begins to say that a document does not suit the schema: it has
// fields the kind lacks, or two elements of a list with the same key.
const applyError = "failed to create typed patch object"

// Create also tells clearly that an object is too large.
func (s *Storage) Create(ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	created, err := s.Store.Create(ctx, obj, validate, options)
	return created, clarify(err, s.DefaultQualifiedResource)
}

// Update also tells clearly that an object is too large, or that what is applied does not suit the schema.
func (s *Storage) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, create rest.ValidateObjectFunc, update rest.ValidateObjectUpdateFunc, force bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	updated, created, err := s.Store.Update(ctx, name, info, create, update, force, options)
	return updated, created, clarify(err, s.DefaultQualifiedResource)
}

// clarify makes a 413 or 400 of what would be a 500 otherwise.
func clarify(err error, resource schema.GroupResource) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, part := range sizeErrors {
		if strings.Contains(text, part) {
			return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("an object of %s must not be larger than 1.5 MiB in JSON: %v", resource, err))
		}
	}
	if status := apierrors.APIStatus(nil); !errors.As(err, &status) && strings.HasPrefix(text, applyError) {
		return apierrors.NewBadRequest(text)
	}
	return err
}
