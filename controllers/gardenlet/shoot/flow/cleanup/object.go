package cleanup

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// gracePeriod is the time that objects get to end by themselves.
const gracePeriod = 5 * time.Minute

func (c Cleanup) cleanObject(ctx context.Context, shoot connection.Connection, object *metav1.PartialObjectMetadata, force time.Duration) error {
	deleted := object.GetDeletionTimestamp()
	switch {
	case deleted == nil:
		grace := int64(gracePeriod / time.Second)
		if force < gracePeriod {
			grace = int64(force / time.Second)
		}
		err := shoot.Client.Delete(ctx, object, &client.DeleteOptions{GracePeriodSeconds: ptr.To(grace), PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)})
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete %s %q: %w", object.Kind, client.ObjectKeyFromObject(object), err)
		}
	case c.Clock.Since(deletedAt(object)) >= force:
		return c.finalize(ctx, shoot, object)
	}
	return nil
}

// finalize removes the finalizers that block the deletion of an object.
func (c Cleanup) finalize(ctx context.Context, shoot connection.Connection, object *metav1.PartialObjectMetadata) error {
	if len(object.GetFinalizers()) > 0 {
		err := shoot.Client.Patch(ctx, object, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`)))
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("remove finalizers of %s %q: %w", object.Kind, client.ObjectKeyFromObject(object), err)
		}
		return nil
	}
	if object.Kind == "Pod" {
		if err := shoot.Client.Delete(ctx, object, client.GracePeriodSeconds(0)); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete pod %q at once: %w", client.ObjectKeyFromObject(object), err)
		}
	}
	return nil
}

// deletedAt is when the deletion was requested; the deletion timestamp is later by the grace period.
func deletedAt(object *metav1.PartialObjectMetadata) time.Time {
	grace := time.Duration(ptr.Deref(object.GetDeletionGracePeriodSeconds(), 0)) * time.Second
	return object.GetDeletionTimestamp().Add(-grace)
}

// Kept reports whether an object must stay: it does not belong to users, or is kept for other reasons.
func Kept(object client.Object) bool {
	labels := object.GetLabels()
	if labels[constants.ShootNoCleanup] == "true" || labels[constants.GardenRole] == constants.GardenRoleSystemComponent {
		return true
	}
	switch object.GetObjectKind().GroupVersionKind().Kind {
	case "Service":
		return object.GetNamespace() == metav1.NamespaceDefault && object.GetName() == "kubernetes"
	case "APIService":
		return labels["kube-aggregator.kubernetes.io/automanaged"] != ""
	}
	return false
}
