package workers

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// DeleteStale deletes objects that belong to no current pool.
func (o OperatingSystems) DeleteStale(ctx context.Context) error {
	return o.Space.Extensions.DeleteAll(ctx, extensionsv1alpha1.OperatingSystemConfigResource, o.Space.Name, o.wanted)
}

// AwaitStaleGone waits until those are gone.
func (o OperatingSystems) AwaitStaleGone(ctx context.Context) error {
	return o.Space.Extensions.WaitAllGone(ctx, extensionsv1alpha1.OperatingSystemConfigResource, o.Space.Name, o.wanted)
}

// wanted reports whether an object belongs to a current pool.
func (o OperatingSystems) wanted(object client.Object) bool {
	for _, worker := range o.Shoot.Spec.Provider.Workers {
		prefix := key(o.Shoot, worker)
		if name := object.GetName(); name == prefix+"-init" || name == prefix+"-original" {
			return true
		}
	}
	return false
}

// DeleteAll deletes the objects of all pools.
func (o OperatingSystems) DeleteAll(ctx context.Context) error {
	return o.Space.Extensions.DeleteAll(ctx, extensionsv1alpha1.OperatingSystemConfigResource, o.Space.Name, nil)
}

// AwaitAllGone waits until no pool has an object.
func (o OperatingSystems) AwaitAllGone(ctx context.Context) error {
	return o.Space.Extensions.WaitAllGone(ctx, extensionsv1alpha1.OperatingSystemConfigResource, o.Space.Name, nil)
}
