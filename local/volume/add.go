package volume

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// classRetry is the pause between attempts to create the storage class.
const classRetry = time.Second

// Config of the provisioner.
type Config struct {
	// Dir is absolute. Volumes are directories <dir>/<namespace>/<claim>-<part of its UID>.
	Dir string
}

// AddToManager adds the provisioner for a seed to its manager. It creates the storage class when it starts.
func AddToManager(mgr manager.Manager, cfg Config) error {
	c := mgr.GetClient()
	if err := mgr.Add(manager.RunnableFunc(func(ctx context.Context) error { return ensureClass(ctx, c) })); err != nil {
		return fmt.Errorf("add creation of storage class: %w", err)
	}
	if err := builder.ControllerManagedBy(mgr).Named("provider-local-volume-provision").
		For(&corev1.PersistentVolumeClaim{}).
		Complete(&provisioner{client: c, dir: cfg.Dir}); err != nil {
		return fmt.Errorf("add controller for claims: %w", err)
	}
	if err := builder.ControllerManagedBy(mgr).Named("provider-local-volume-reclaim").
		For(&corev1.PersistentVolume{}).
		Complete(&reclaimer{client: c, dir: cfg.Dir}); err != nil {
		return fmt.Errorf("add controller for volumes: %w", err)
	}
	return nil
}

// ensureClass tries until it succeeds or the manager stops.
func ensureClass(ctx context.Context, c client.Client) error {
	err := wait.PollUntilContextCancel(ctx, classRetry, true, func(ctx context.Context) (bool, error) {
		err := c.Create(ctx, StorageClass())
		if err == nil || apierrors.IsAlreadyExists(err) {
			return true, nil
		}
		log.FromContext(ctx).Error(err, "Could not create storage class", "storageClass", ClassName)
		return false, nil
	})
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("create storage class %s: %w", ClassName, err)
	}
	return nil
}
