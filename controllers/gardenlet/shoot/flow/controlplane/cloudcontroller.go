package controlplane

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// cloudControllerName is the Deployment that extensions of all providers make.
const cloudControllerName = "cloud-controller-manager"

// CloudController is cloud-controller-manager, which the extension of the ControlPlane deploys by a ManagedResource in the seed.
type CloudController struct{ Space seed.Space }

// Delete deletes the Deployment, and before it the ManagedResource that would make it again. The extension makes both anew when it is asked
// to reconcile the ControlPlane.
func (c CloudController) Delete(ctx context.Context) error {
	makers, err := c.makers(ctx)
	if err != nil {
		return err
	}
	for i := range makers {
		if err := c.Space.Delete(ctx, &makers[i]); err != nil {
			return err
		}
	}
	return c.Space.DeleteDeployment(ctx, cloudControllerName)
}

// AwaitGone waits until the ManagedResource, the Deployment and its pods are gone.
func (c CloudController) AwaitGone(ctx context.Context) error {
	err := await.Poll(ctx, func() error {
		makers, err := c.makers(ctx)
		if err != nil || len(makers) == 0 {
			return err
		}
		return fmt.Errorf("managed resource %q, which makes deployment %q, is still there", makers[0].Name, cloudControllerName)
	})
	if err != nil {
		return err
	}
	return c.Space.AwaitDeploymentGone(ctx, cloudControllerName)
}

// makers are the ManagedResources in the seed that have made the Deployment.
func (c CloudController) makers(ctx context.Context) ([]resourcesv1alpha1.ManagedResource, error) {
	list := &resourcesv1alpha1.ManagedResourceList{}
	if err := c.Space.Client.List(ctx, list, client.InNamespace(c.Space.Name)); err != nil {
		return nil, fmt.Errorf("list managed resources: %w", err)
	}
	return slices.DeleteFunc(list.Items, func(resource resourcesv1alpha1.ManagedResource) bool {
		return ptr.Deref(resource.Spec.Class, "") == "" || !slices.ContainsFunc(resource.Status.Resources, c.made)
	}), nil
}

func (c CloudController) made(object resourcesv1alpha1.ObjectReference) bool {
	return object.Kind == "Deployment" && object.Namespace == c.Space.Name && object.Name == cloudControllerName
}
