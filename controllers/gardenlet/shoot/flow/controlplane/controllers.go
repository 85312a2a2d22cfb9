package controlplane

import (
	"context"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubecontrollermanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Controllers is kube-controller-manager.
type Controllers struct {
	Shoot    *gardencorev1beta1.Shoot
	Networks operation.Networks
	Space    seed.Space
	Replicas int32
}

// Deploy writes the Deployment and what it needs.
func (c Controllers) Deploy(ctx context.Context, made credentials.Made) error {
	secrets, err := kubecontrollermanager.GenerateSecrets(ctx, made.Manager)
	if err != nil {
		return err
	}
	_, err = c.Space.Apply(ctx, kubecontrollermanager.Deployment(kubecontrollermanager.Values{
		Namespace: c.Space.Name, Image: c.Space.Image, Replicas: c.Replicas, Version: c.Shoot.Spec.Kubernetes.Version, Config: c.Shoot.Spec.Kubernetes.KubeControllerManager,
		MaxPods: operation.MaxPods(c.Shoot), PodCIDR: c.Networks.Pods, ServiceCIDR: c.Networks.Services, Workerless: helper.IsWorkerless(c.Shoot), Secrets: secrets,
	}))
	return err
}

// Await waits until the Deployment is rolled out.
func (c Controllers) Await(ctx context.Context) error {
	return c.Space.AwaitDeployment(ctx, kubecontrollermanager.Name)
}

// ScaleUp starts the hibernated controllers.
func (c Controllers) ScaleUp(ctx context.Context) error {
	return c.Space.Scale(ctx, kubecontrollermanager.Name, c.Space.Availability.Controllers())
}

// Delete deletes the Deployment.
func (c Controllers) Delete(ctx context.Context) error {
	return c.Space.DeleteDeployment(ctx, kubecontrollermanager.Name)
}
