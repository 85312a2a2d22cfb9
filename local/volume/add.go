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
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// classRetry is the pause between attempts to create the storage class.
const classRetry = time.Second

// prefix begins the names of controllers and of who reports events.
const prefix = "provider-local-volume-"

// Config of the provisioner.
type Config struct {
	// Dir has the volumes. It is absolute. Those of a seed are directories <Dir>/<namespace>/<claim>-<part of its UID>, those of a shoot
	// <Dir>/pvc-<UID of the claim>.
	Dir string
	// Shoot is the cluster with the claims if that is not the one of the manager. Its nodes know Dir by package sharedvolume. Its scheme knows the
	// groups core and storage.k8s.io.
	Shoot cluster.Cluster
}

// AddToManager adds the provisioner for a seed or a shoot to a manager. In a seed, it creates the storage class when it starts.
func AddToManager(mgr manager.Manager, cfg Config) error {
	if cfg.Shoot != nil {
		return add(mgr, cfg.Shoot, places{dir: cfg.Dir, shoot: true})
	}
	c := mgr.GetClient()
	if err := mgr.Add(manager.RunnableFunc(func(ctx context.Context) error { return ensureClass(ctx, c) })); err != nil {
		return fmt.Errorf("add creation of storage class: %w", err)
	}
	return add(mgr, mgr, places{dir: cfg.Dir})
}

func add(mgr manager.Manager, of cluster.Cluster, p places) error {
	err := builder.ControllerManagedBy(mgr).Named(prefix + "provision").
		WatchesRawSource(source.Kind[client.Object](of.GetCache(), &corev1.PersistentVolumeClaim{}, &handler.EnqueueRequestForObject{})).
		Complete(&provisioner{client: of.GetClient(), reader: of.GetAPIReader(), recorder: of.GetEventRecorder(prefix + "provisioner"), places: p})
	if err != nil {
		return fmt.Errorf("add controller for claims: %w", err)
	}
	err = builder.ControllerManagedBy(mgr).Named(prefix + "reclaim").
		WatchesRawSource(source.Kind[client.Object](of.GetCache(), &corev1.PersistentVolume{}, &handler.EnqueueRequestForObject{})).
		Complete(&reclaimer{client: of.GetClient(), places: p})
	if err != nil {
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
