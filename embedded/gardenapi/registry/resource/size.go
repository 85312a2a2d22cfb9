package resource

import (
	"context"
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

// Create also tells clearly that an object is too large.
func (s *Storage) Create(ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	created, err := s.Store.Create(ctx, obj, validate, options)
	return created, clarify(err, s.DefaultQualifiedResource)
}

// Update also tells clearly that an object is too large.
func (s *Storage) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, create rest.ValidateObjectFunc, update rest.ValidateObjectUpdateFunc, force bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	updated, created, err := s.Store.Update(ctx, name, info, create, update, force, options)
	return updated, created, clarify(err, s.DefaultQualifiedResource)
}

// clarify makes a 413 of what would be a 500 otherwise.
func clarify(err error, resource schema.GroupResource) error {
	if err == nil {
		return nil
	}
	for _, text := range sizeErrors {
		if strings.Contains(err.Error(), text) {
			return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("an object of %s must not be larger than 1.5 MiB in JSON: %v", resource, err))
		}
	}
	return err
}
