package contract

import (
	"context"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Simple is an Actuator for resources that can be made and removed at any time without further conditions. Restore makes them,
// ForceDelete removes them, and Migrate changes nothing.
type Simple[T extensionsv1alpha1.Object] struct {
	// Apply makes what the object describes.
	Apply func(ctx context.Context, cluster *Cluster, obj T) error
	// Remove undoes Apply; nil if there is nothing to undo.
	Remove func(ctx context.Context, cluster *Cluster, obj T) error
}

// Reconcile implements Actuator by Apply.
func (s Simple[T]) Reconcile(ctx context.Context, cluster *Cluster, obj T) error {
	return s.Apply(ctx, cluster, obj)
}

// Restore implements Actuator by Apply.
func (s Simple[T]) Restore(ctx context.Context, cluster *Cluster, obj T) error {
	return s.Apply(ctx, cluster, obj)
}

// Delete implements Actuator by Remove.
func (s Simple[T]) Delete(ctx context.Context, cluster *Cluster, obj T) error {
	if s.Remove == nil {
		return nil
	}
	return s.Remove(ctx, cluster, obj)
}

// ForceDelete implements Actuator by Remove.
func (s Simple[T]) ForceDelete(ctx context.Context, cluster *Cluster, obj T) error {
	return s.Delete(ctx, cluster, obj)
}

// Migrate implements Actuator by doing nothing.
func (s Simple[T]) Migrate(context.Context, *Cluster, T) error { return nil }
