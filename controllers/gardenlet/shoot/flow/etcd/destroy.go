package etcd

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
)

// Destroy deletes the objects and then their data, which nothing else deletes.
func (e Etcd) Destroy(ctx context.Context) error {
	for _, role := range roles {
		if err := e.stopScaling(ctx, role); err != nil {
			return err
		}
		if err := e.Space.Extensions.Delete(ctx, object(role, e.Space.Name)); err != nil {
			return err
		}
	}
	return nil
}

// AwaitGone waits until both etcds are gone and deletes their volumes.
func (e Etcd) AwaitGone(ctx context.Context) error {
	for _, role := range roles {
		if err := await.Gone(ctx, e.Space.Client, object(role, e.Space.Name), nil); err != nil {
			return err
		}
	}
	err := e.Space.Client.DeleteAllOf(ctx, &corev1.PersistentVolumeClaim{}, client.InNamespace(e.Space.Name))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete volumes of etcd: %w", err)
	}
	return nil
}
