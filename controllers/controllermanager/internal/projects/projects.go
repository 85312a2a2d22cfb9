// Package projects finds the Project of a namespace.
package projects

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// OfNamespace returns a copy of the Project with that namespace, nil if there is none. The reader must be a cache.
func OfNamespace(ctx context.Context, cached client.Reader, namespace string) (*gardencorev1beta1.Project, error) {
	if namespace == "" {
		return nil, nil
	}
	all := &gardencorev1beta1.ProjectList{}
	if err := cached.List(ctx, all, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("list projects: %w", err)
	}
	for i := range all.Items {
		if own := all.Items[i].Spec.Namespace; own != nil && *own == namespace {
			return all.Items[i].DeepCopy(), nil
		}
	}
	return nil, nil
}
