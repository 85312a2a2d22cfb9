package landscape

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// retryInterval is the pause before asking again for an API that is not served yet.
const retryInterval = 100 * time.Millisecond

// Apply creates the objects that do not exist and leaves existing objects as they are. Only an existing CloudProfile gets
// the Kubernetes versions that it lacks. Apply waits until ctx ends for APIs that are not served yet.
func Apply(ctx context.Context, c client.Client, objects []*unstructured.Unstructured) error {
	for _, object := range objects {
		var last error
		err := wait.PollUntilContextCancel(ctx, retryInterval, true, func(ctx context.Context) (bool, error) {
			last = createOrComplete(ctx, c, object.DeepCopy())
			return last == nil, permanent(last)
		})
		if err != nil {
			return fmt.Errorf("create %s %s: %w", object.GetKind(), object.GetName(), last)
		}
	}
	return nil
}

func createOrComplete(ctx context.Context, c client.Client, object *unstructured.Unstructured) error {
	err := c.Create(ctx, object.DeepCopy())
	if !apierrors.IsAlreadyExists(err) || object.GetKind() != "CloudProfile" {
		return client.IgnoreAlreadyExists(err)
	}
	present := &unstructured.Unstructured{}
	present.SetGroupVersionKind(object.GroupVersionKind())
	if err := c.Get(ctx, client.ObjectKeyFromObject(object), present); err != nil {
		return err
	}
	before := present.DeepCopy()
	if !addVersions(present, object) {
		return nil
	}
	return c.Patch(ctx, present, client.MergeFrom(before))
}

// permanent returns errors that a retry does not solve.
func permanent(err error) error {
	if apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) {
		return err
	}
	return nil
}
