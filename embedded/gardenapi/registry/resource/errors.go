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

// Error messages of etcd and its client about requests above their limits of 1.5 MiB and 2 MiB.
var sizeErrors = []string{"etcdserver: request is too large", "trying to send message larger than max"}

// applyError is the beginning of the error that server-side apply returns for a document that does not match the schema:
// it has unknown fields, or two elements of a list with the same key.
const applyError = "failed to create typed patch object"

// Create returns a clear error for an object that is too large.
func (s *Storage) Create(ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	created, err := s.Store.Create(ctx, obj, validate, options)
	return created, clarify(err, s.DefaultQualifiedResource)
}

// Update returns a clear error for an object that is too large, and for an applied document that does not match the schema.
func (s *Storage) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, create rest.ValidateObjectFunc, update rest.ValidateObjectUpdateFunc, force bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	updated, created, err := s.Store.Update(ctx, name, info, create, update, force, options)
	return updated, created, clarify(err, s.DefaultQualifiedResource)
}

// clarify replaces such errors, which would get status 500, with errors of status 413 or 400.
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
