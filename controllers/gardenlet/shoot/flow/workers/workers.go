package workers

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/extension"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/infrastructure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

func (w Workers) object() *extensionsv1alpha1.Worker {
	return &extensionsv1alpha1.Worker{ObjectMeta: metav1.ObjectMeta{Name: w.Shoot.Name, Namespace: w.Space.Name}}
}

// Deploy requests the machines of all pools.
func (w Workers) Deploy(ctx context.Context, made credentials.Made, found *extensionsv1alpha1.Infrastructure, userData UserData) (seed.Requests, error) {
	object := w.object()
	object.Spec = extensionsv1alpha1.WorkerSpec{
		DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: w.Shoot.Spec.Provider.Type},
		Region:      w.Shoot.Spec.Region, SecretRef: w.Space.CloudProvider(), InfrastructureProviderStatus: infrastructure.ProviderStatus(found),
	}
	if key := made.Current(constants.SecretNameSSHKeyPair); key != nil {
		object.Spec.SSHPublicKey = key.Data[secretsmanager.KeyRSAPublic]
	}
	for _, worker := range w.Shoot.Spec.Provider.Workers {
		pool, err := w.pool(worker, userData[worker.Name])
		if err != nil {
			return nil, err
		}
		object.Spec.Pools = append(object.Spec.Pools, pool)
	}
	return w.Space.Extensions.Request(ctx, object)
}

// AwaitMachineDeployments waits for the list of machine deployments, which the provider reports long before the
// machines exist.
func (w Workers) AwaitMachineDeployments(ctx context.Context, requests seed.Requests) error {
	object := w.object()
	return w.Space.Extensions.WaitFor(ctx, object, requests[object.Name], func() error {
		if len(object.Status.MachineDeployments) == 0 && extension.Finished(object, "") != nil {
			return errors.New("machine deployments have not been reported yet")
		}
		return nil
	})
}

// Await waits until the machines are as requested.
func (w Workers) Await(ctx context.Context, requests seed.Requests) error {
	return w.Space.Extensions.Await(ctx, w.object(), requests)
}

// Destroy deletes the object.
func (w Workers) Destroy(ctx context.Context) error {
	return w.Space.Extensions.Delete(ctx, w.object())
}

// AwaitGone waits until all machines are gone.
func (w Workers) AwaitGone(ctx context.Context) error {
	return w.Space.Extensions.WaitGone(ctx, w.object())
}
