package patch

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Status sends what has changed in the status since before, nothing if nothing has. Fields that somebody else changed
// meanwhile are kept as they are, unless they are part of the same list. An object that is gone is no error.
func Status(ctx context.Context, c client.Client, object, before client.Object) error {
	if equality.Semantic.DeepEqual(object, before) {
		return nil
	}
	err := c.Status().Patch(ctx, object, client.MergeFrom(before))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("patch status of %T %q: %w", object, client.ObjectKeyFromObject(object), err)
	}
	return nil
}

// Metadata sends what change does to the labels, annotations and finalizers of the object. It is refused with a conflict
// if the object has changed since it was read, since finalizers are a list that others change, too.
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
