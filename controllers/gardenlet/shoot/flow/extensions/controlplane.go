package extensions

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/infrastructure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// ControlPlane is the provider's part of the control plane of a shoot.
type ControlPlane struct {
	Shoot *gardencorev1beta1.Shoot
	Space seed.Space
}

func (c ControlPlane) object() *extensionsv1alpha1.ControlPlane {
	return &extensionsv1alpha1.ControlPlane{ObjectMeta: metav1.ObjectMeta{Name: c.Shoot.Name, Namespace: c.Space.Name}}
}

// Deploy requests the ControlPlane as the Shoot specifies.
func (c ControlPlane) Deploy(ctx context.Context, found *extensionsv1alpha1.Infrastructure) (seed.Requests, error) {
	object := c.object()
	object.Spec = extensionsv1alpha1.ControlPlaneSpec{
		DefaultSpec: extensionsv1alpha1.DefaultSpec{
			Type: c.Shoot.Spec.Provider.Type, ProviderConfig: c.Shoot.Spec.Provider.ControlPlaneConfig,
		},
		Region: c.Shoot.Spec.Region, SecretRef: c.Space.CloudProvider(), InfrastructureProviderStatus: infrastructure.ProviderStatus(found),
	}
	return c.Space.Extensions.Request(ctx, object)
}

// Await waits for the response to the request of this run.
func (c ControlPlane) Await(ctx context.Context, requests seed.Requests) error {
	return c.Space.Extensions.Await(ctx, c.object(), requests)
}

// Destroy deletes the object.
func (c ControlPlane) Destroy(ctx context.Context) error {
	return c.Space.Extensions.Delete(ctx, c.object())
}

// AwaitGone waits until the extension has finished the deletion.
func (c ControlPlane) AwaitGone(ctx context.Context) error {
	return c.Space.Extensions.WaitGone(ctx, c.object())
}
