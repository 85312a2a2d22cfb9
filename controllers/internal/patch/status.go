package patch

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Status writes the changes of the status since before. It sends nothing if there are none. Fields that others changed
// meanwhile are kept, unless they are part of the same list. An object that is gone is no error.
func Status(ctx context.Context, c client.Client, object, before client.Object) error {
	return status(ctx, c, object, before, client.MergeFrom(before))
}

// StatusUnlessChanged is Status for an object that must not have changed since before. If it has, the error is a conflict.
func StatusUnlessChanged(ctx context.Context, c client.Client, object, before client.Object) error {
	return status(ctx, c, object, before, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

func status(ctx context.Context, c client.Client, object, before client.Object, patch client.Patch) error {
	if equality.Semantic.DeepEqual(object, before) {
		return nil
	}
	err := c.Status().Patch(ctx, object, patch)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("patch status of %T %q: %w", object, client.ObjectKeyFromObject(object), err)
	}
	return nil
}

// Metadata writes the changes that change makes to labels, annotations and finalizers of the object. The request fails
// with a conflict if the object has changed since it was read, because other controllers change the list of finalizers,
// too.
func Metadata(ctx context.Context, c client.Client, object client.Object, change func()) error {
	before := object.DeepCopyObject().(client.Object)
	change()
	if equality.Semantic.DeepEqual(object, before) {
		return nil
	}
	err := c.Patch(ctx, object, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if err != nil {
		return fmt.Errorf("patch metadata of %T %q: %w", object, client.ObjectKeyFromObject(object), err)
	}
	return nil
}
