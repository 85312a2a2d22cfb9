// Package system deploys the system components of Gardener in a shoot.
package system

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/managedresource"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Managed are the ManagedResources of a shoot, which its resource manager applies to the shoot.
type Managed struct{ Space seed.Space }

// AwaitApplied waits until all objects that this flow passes to the resource manager are in the shoot. Their health is
// checked after the flow; only the DNS server has a step for that.
func (m Managed) AwaitApplied(ctx context.Context) error {
	return await.Poll(ctx, func() error {
		list := &resourcesv1alpha1.ManagedResourceList{}
		if err := m.Space.Client.List(ctx, list, client.InNamespace(m.Space.Name), client.MatchingLabels{"origin": managedresource.Origin}); err != nil {
			return fmt.Errorf("list managed resources: %w", err)
		}
		for i := range list.Items {
			if err := applied(&list.Items[i]); err != nil {
				return fmt.Errorf("managed resource %q: %w", list.Items[i].Name, err)
			}
		}
		return nil
	})
}

// DeleteAll deletes all ManagedResources of the shoot, except those that the deletion itself needs.
func (m Managed) DeleteAll(ctx context.Context) error {
	list := &resourcesv1alpha1.ManagedResourceList{}
	if err := m.Space.Client.List(ctx, list, client.InNamespace(m.Space.Name), client.MatchingLabels{"origin": managedresource.Origin}); err != nil {
		return fmt.Errorf("list managed resources: %w", err)
	}
	for _, resource := range list.Items {
		if err := m.Space.DeleteManaged(ctx, resource.Name); err != nil {
			return err
		}
	}
	return nil
}

// AwaitGone waits until all ManagedResources of Gardener are gone.
func (m Managed) AwaitGone(ctx context.Context) error {
	return m.awaitNone(ctx, client.MatchingLabels{"origin": managedresource.Origin})
}

// AwaitAllGone waits for those of extensions, too.
func (m Managed) AwaitAllGone(ctx context.Context) error {
	return m.awaitNone(ctx)
}

// awaitNone ignores ManagedResources with a class, since they are for another cluster than the shoot.
func (m Managed) awaitNone(ctx context.Context, options ...client.ListOption) error {
	return await.Poll(ctx, func() error {
		list := &resourcesv1alpha1.ManagedResourceList{}
		if err := m.Space.Client.List(ctx, list, append(slices.Clone(options), client.InNamespace(m.Space.Name))...); err != nil {
			return fmt.Errorf("list managed resources: %w", err)
		}
		for _, resource := range list.Items {
			if resource.Spec.Class == nil || *resource.Spec.Class == "" {
				return fmt.Errorf("managed resource %q is still there: %s", resource.Name, appliedMessage(&resource))
			}
		}
		return nil
	})
}

func applied(resource *resourcesv1alpha1.ManagedResource) error {
	if resource.Status.ObservedGeneration != resource.Generation {
		return errors.New("it has not been observed yet")
	}
	applied := conditions.Get(resource.Status.Conditions, resourcesv1alpha1.ResourcesApplied)
	if applied == nil || applied.Status != gardencorev1beta1.ConditionTrue {
		return fmt.Errorf("it has not been applied yet: %s", appliedMessage(resource))
	}
	return nil
}

func appliedMessage(resource *resourcesv1alpha1.ManagedResource) string {
	if applied := conditions.Get(resource.Status.Conditions, resourcesv1alpha1.ResourcesApplied); applied != nil {
		return applied.Message
	}
	return "no condition yet"
}
