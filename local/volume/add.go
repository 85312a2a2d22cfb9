package volume

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// AddToManager adds the provisioner for a seed to its manager. It creates the storage class when it starts. Dir is
// absolute; volumes are directories <dir>/<namespace>/<claim>-<part of its UID>.
func AddToManager(mgr manager.Manager, dir string) error {
	c := mgr.GetClient()
	if err := mgr.Add(manager.RunnableFunc(func(ctx context.Context) error { return ensureClass(ctx, c) })); err != nil {
		return fmt.Errorf("add creation of storage class: %w", err)
	}
	if err := builder.ControllerManagedBy(mgr).Named("volume-provision").
		For(&corev1.PersistentVolumeClaim{}).
		Complete(&provisioner{client: c, dir: dir}); err != nil {
		return fmt.Errorf("add controller volume-provision: %w", err)
	}
	if err := builder.ControllerManagedBy(mgr).Named("volume-reclaim").
		For(&corev1.PersistentVolume{}).
		Complete(&reclaimer{client: c, dir: dir}); err != nil {
		return fmt.Errorf("add controller volume-reclaim: %w", err)
	}
	return nil
}

func ensureClass(ctx context.Context, c client.Client) error {
	if err := c.Create(ctx, StorageClass()); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create storage class %s: %w", ClassName, err)
	}
	return nil
}
