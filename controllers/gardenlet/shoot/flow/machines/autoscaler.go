package machines

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/clusterautoscaler"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Autoscaler is the cluster autoscaler.
type Autoscaler struct {
	Shoot    *gardencorev1beta1.Shoot
	Space    seed.Space
	Replicas int32
}

// Deploy deploys the autoscaler with the bounds in the status of the Worker, or removes it if all pools have a fixed
// size.
func (a Autoscaler) Deploy(ctx context.Context, made credentials.Made) error {
	if !helper.WantsClusterAutoscaler(a.Shoot) {
		return a.Delete(ctx)
	}
	worker := &extensionsv1alpha1.Worker{ObjectMeta: metav1.ObjectMeta{Name: a.Shoot.Name, Namespace: a.Space.Name}}
	if err := a.Space.Client.Get(ctx, client.ObjectKeyFromObject(worker), worker); err != nil {
		return fmt.Errorf("read worker %q: %w", worker.Name, err)
	}
	mount, err := clusterautoscaler.Access.Mount(ctx, made.Manager)
	if err != nil {
		return err
	}
	values := clusterautoscaler.Values{
		Namespace: a.Space.Name, Image: a.Space.Image, Replicas: a.Replicas, Config: a.Shoot.Spec.Kubernetes.ClusterAutoscaler,
		MachineDeployments: worker.Status.MachineDeployments, Access: mount,
	}
	objects, _ := clusterautoscaler.Objects(values)
	if err := a.Space.ApplyAll(ctx, objects...); err != nil {
		return err
	}
	return a.Space.DeployManaged(ctx, clusterautoscaler.Resource, false, clusterautoscaler.ShootObjects(values)...)
}

// Stop prevents the autoscaler from adding machines for pods that have no nodes because the shoot is being hibernated.
func (a Autoscaler) Stop(ctx context.Context) error {
	return a.Space.Scale(ctx, clusterautoscaler.Name, 0)
}

// Delete deletes the Deployment and its permissions.
func (a Autoscaler) Delete(ctx context.Context) error {
	if err := a.Space.DeleteManaged(ctx, clusterautoscaler.Resource); err != nil {
		return err
	}
	if err := a.Space.DeleteDeployment(ctx, clusterautoscaler.Name); err != nil {
		return err
	}
	return a.Space.DeleteServiceAccount(ctx, clusterautoscaler.Name)
}
