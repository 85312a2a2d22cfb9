package podautoscaling

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/metricsserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// ReconcileMetricsServer deploys the metrics server, which autoscalers need, or removes it.
func (a Autoscaling) ReconcileMetricsServer(ctx context.Context, made credentials.Made) error {
	if !wantsMetrics(a.Shoot) {
		return a.deleteMetricsServer(ctx)
	}
	secrets, err := metricsserver.GenerateSecrets(ctx, made.Manager)
	if err != nil {
		return err
	}
	values := metricsserver.Values{Namespace: a.Space.Name, Image: a.Space.Image, Replicas: a.Replicas, InShoot: a.Exposure.Tunnelled(), Secrets: secrets}
	if !values.InShoot {
		objects, _ := metricsserver.SeedObjects(values)
		if err := a.Space.ApplyAll(ctx, objects...); err != nil {
			return err
		}
	}
	return a.Space.DeployManaged(ctx, metricsserver.Resource, false, metricsserver.ShootObjects(values)...)
}

// wantsMetrics reports whether a shoot has an autoscaler of pods: the vertical one, or settings for the horizontal one.
// Other shoots have no metrics server, since it would cost one more process per shoot.
func wantsMetrics(shoot *gardencorev1beta1.Shoot) bool {
	controllers := shoot.Spec.Kubernetes.KubeControllerManager
	return helper.WantsVerticalPodAutoscaler(shoot) || controllers != nil && controllers.HorizontalPodAutoscalerConfig != nil
}

// deleteMetricsServer deletes the API before its server, since an API without a server disturbs all clients.
func (a Autoscaling) deleteMetricsServer(ctx context.Context) error {
	if err := a.Space.DeleteManaged(ctx, metricsserver.Resource); err != nil {
		return err
	}
	if err := a.Space.DeleteDeployment(ctx, metricsserver.Name); err != nil {
		return err
	}
	return a.Space.Delete(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: metricsserver.Name, Namespace: a.Space.Name}})
}
