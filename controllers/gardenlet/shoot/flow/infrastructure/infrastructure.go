// Package infrastructure requests the infrastructure around the machines of a shoot from the provider.
package infrastructure

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/project"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/status"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Infrastructure is the object that requests networks and other resources from a provider.
type Infrastructure struct {
	Shoot    *gardencorev1beta1.Shoot
	Networks operation.Networks
	Space    seed.Space
	Project  project.Project
	Status   *status.Writer
}

func (i Infrastructure) object() *extensionsv1alpha1.Infrastructure {
	return &extensionsv1alpha1.Infrastructure{ObjectMeta: metav1.ObjectMeta{Name: i.Shoot.Name, Namespace: i.Space.Name}}
}

// Deploy requests the infrastructure and publishes the SSH keys of the nodes.
func (i Infrastructure) Deploy(ctx context.Context, made credentials.Made) (seed.Requests, error) {
	publicKey, err := credentials.SSHKeypair(ctx, i.Shoot, made.Manager)
	if err != nil {
		return nil, err
	}
	if err := i.Project.PublishSSHKeypair(ctx, made.Manager); err != nil {
		return nil, err
	}
	object := i.object()
	object.Spec = extensionsv1alpha1.InfrastructureSpec{
		DefaultSpec: extensionsv1alpha1.DefaultSpec{
			Type: i.Shoot.Spec.Provider.Type, ProviderConfig: i.Shoot.Spec.Provider.InfrastructureConfig,
		},
		Region:       i.Shoot.Spec.Region,
		SecretRef:    i.Space.CloudProvider(),
		SSHPublicKey: publicKey,
	}
	return i.Space.Extensions.Request(ctx, object)
}

// Await keeps the provider status for later steps, and writes the networks to the status of the Shoot.
func (i Infrastructure) Await(ctx context.Context, requests seed.Requests) (*extensionsv1alpha1.Infrastructure, error) {
	object := i.object()
	if err := i.Space.Extensions.Await(ctx, object, requests); err != nil {
		return nil, err
	}
	networking := &gardencorev1beta1.NetworkingStatus{
		Pods: []string{i.Networks.Pods}, Services: []string{i.Networks.Services}, EgressCIDRs: object.Status.EgressCIDRs,
	}
	networking.Nodes = NodeRanges(i.Networks.Nodes, object)
	return object, i.Status.Update(ctx, func(s *gardencorev1beta1.ShootStatus) { s.Networking = networking })
}

// Destroy deletes the object.
func (i Infrastructure) Destroy(ctx context.Context) error {
	return i.Space.Extensions.Delete(ctx, i.object())
}

// AwaitGone waits until it is gone.
func (i Infrastructure) AwaitGone(ctx context.Context) error {
	return i.Space.Extensions.WaitGone(ctx, i.object())
}
