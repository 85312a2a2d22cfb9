// Package podautoscaling deploys the vertical pod autoscaler of a shoot and metrics-server, which autoscalers of pods
// need.
package podautoscaling

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/metricsserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/verticalpodautoscaler"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
)

// ReconcileVertical deploys the vertical pod autoscaler, or removes it if the shoot does not want it. Its parts wait
// for their kinds, which the resource manager installs.
func (a Autoscaling) ReconcileVertical(ctx context.Context, made credentials.Made) error {
	if !helper.WantsVerticalPodAutoscaler(a.Shoot) {
		return a.deleteVertical(ctx)
	}
	secrets, err := verticalpodautoscaler.GenerateSecrets(ctx, made.Manager)
	if err != nil {
		return err
	}
	values := verticalpodautoscaler.Values{
		Namespace: a.Space.Name, Image: a.Space.Image, Replicas: a.Replicas, Config: *a.Shoot.Spec.Kubernetes.VerticalPodAutoscaler, Secrets: secrets,
	}
	inShoot, err := verticalpodautoscaler.ShootObjects(values)
	if err != nil {
		return err
	}
	if err := a.Space.DeployManaged(ctx, verticalpodautoscaler.Resource, false, inShoot...); err != nil {
		return err
	}
	objects, _ := verticalpodautoscaler.Objects(values)
	return a.Space.ApplyAll(ctx, objects...)
}

// deleteVertical deletes the parts first, so that they do not request kinds that are gone.
func (a Autoscaling) deleteVertical(ctx context.Context) error {
	for _, name := range verticalpodautoscaler.Deployments() {
		if err := a.Space.DeleteDeployment(ctx, name); err != nil {
			return err
		}
	}
	if err := a.Space.Delete(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: verticalpodautoscaler.Service, Namespace: a.Space.Name}}); err != nil {
		return err
	}
	return a.Space.DeleteManaged(ctx, verticalpodautoscaler.Resource)
}

// Delete runs before the cluster is emptied. In a hibernated shoot no server answers for the metrics API. A namespace cannot be
// deleted while an API has no server.
func (a Autoscaling) Delete(ctx context.Context) error {
	if err := a.deleteVertical(ctx); err != nil {
		return err
	}
	return a.deleteMetricsServer(ctx)
}

// Deployments are the names of all Deployments of this package; not every shoot has them.
func Deployments() []string {
	return append(verticalpodautoscaler.Deployments(), metricsserver.Name)
}
