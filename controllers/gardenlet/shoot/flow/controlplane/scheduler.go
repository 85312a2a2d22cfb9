package controlplane

import (
	"context"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubescheduler"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Scheduler is kube-scheduler.
type Scheduler struct {
	Shoot    *gardencorev1beta1.Shoot
	Space    seed.Space
	Replicas int32
}

// Deploy writes the Deployment and what it needs.
func (s Scheduler) Deploy(ctx context.Context, made credentials.Made) error {
	secrets, err := kubescheduler.GenerateSecrets(ctx, made.Manager)
	if err != nil {
		return err
	}
	config, deployment, err := kubescheduler.Objects(kubescheduler.Values{
		Namespace: s.Space.Name, Image: s.Space.Image, Replicas: s.Replicas, Version: s.Shoot.Spec.Kubernetes.Version, Config: s.Shoot.Spec.Kubernetes.KubeScheduler, Secrets: secrets,
	})
	if err != nil {
		return err
	}
	return s.Space.ApplyAll(ctx, config, deployment)
}

// Delete deletes the Deployment.
func (s Scheduler) Delete(ctx context.Context) error {
	return s.Space.DeleteDeployment(ctx, kubescheduler.Name)
}
