package flow

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/metricsserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/verticalpodautoscaler"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// reconcileMetricsServer deploys what tells the usage of pods to autoscalers, or removes it.
func (p *Plan) reconcileMetricsServer(ctx context.Context) error {
	if !wantsMetrics(p.Shoot) {
		return p.deleteMetricsServer(ctx)
	}
	secrets, err := metricsserver.GenerateSecrets(ctx, p.secrets)
	if err != nil {
		return err
	}
	values := metricsserver.Values{Namespace: p.namespace, Replicas: p.awakeReplicas(), InShoot: p.tunnelled(), Secrets: secrets}
	if !values.InShoot {
		objects, _ := metricsserver.SeedObjects(values)
		if err := p.seed.ApplyAll(ctx, objects...); err != nil {
			return err
		}
	}
	return p.deployManaged(ctx, metricsserver.Resource, false, metricsserver.ShootObjects(values)...)
}

// wantsMetrics tells whether a shoot has an autoscaler of pods: the vertical one, or settings for the horizontal one. Other
// shoots have no server of metrics, since it would make each of them a process larger.
func wantsMetrics(shoot *gardencorev1beta1.Shoot) bool {
	controllers := shoot.Spec.Kubernetes.KubeControllerManager
	return helper.WantsVerticalPodAutoscaler(shoot) || controllers != nil && controllers.HorizontalPodAutoscalerConfig != nil
}

// deleteMetricsServer removes the API before the server that answers it: an API nobody answers is in everybody's way.
func (p *Plan) deleteMetricsServer(ctx context.Context) error {
	if err := p.deleteManaged(ctx, metricsserver.Resource); err != nil {
		return err
	}
	if err := p.deleteDeployment(ctx, metricsserver.Name); err != nil {
		return err
	}
	return p.delete(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: metricsserver.Name, Namespace: p.namespace}})
}

// reconcileVerticalAutoscaler deploys the vertical pod autoscaler as the shoot says, or removes it. Its parts wait for their
// kinds, which the resource manager installs.
func (p *Plan) reconcileVerticalAutoscaler(ctx context.Context) error {
	if !helper.WantsVerticalPodAutoscaler(p.Shoot) {
		return p.deleteVerticalAutoscaler(ctx)
	}
	secrets, err := verticalpodautoscaler.GenerateSecrets(ctx, p.secrets)
	if err != nil {
		return err
	}
	values := verticalpodautoscaler.Values{
		Namespace: p.namespace, Replicas: p.awakeReplicas(), Config: *p.Shoot.Spec.Kubernetes.VerticalPodAutoscaler, Secrets: secrets,
	}
	inShoot, err := verticalpodautoscaler.ShootObjects(values)
	if err != nil {
		return err
	}
	if err := p.deployManaged(ctx, verticalpodautoscaler.Resource, false, inShoot...); err != nil {
		return err
	}
	objects, _ := verticalpodautoscaler.Objects(values)
	return p.seed.ApplyAll(ctx, objects...)
}

// deleteVerticalAutoscaler removes the parts first, so that they do not ask for kinds that are gone.
func (p *Plan) deleteVerticalAutoscaler(ctx context.Context) error {
	for _, name := range verticalpodautoscaler.Deployments() {
		if err := p.deleteDeployment(ctx, name); err != nil {
			return err
		}
	}
	if err := p.delete(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: verticalpodautoscaler.Service, Namespace: p.namespace}}); err != nil {
		return err
	}
	return p.deleteManaged(ctx, verticalpodautoscaler.Resource)
}

// deletePodAutoscaling comes before the cluster is emptied: in a shoot that sleeps nobody answers for metrics, and namespaces
// do not go as long as an API is not answered.
func (p *Plan) deletePodAutoscaling(ctx context.Context) error {
	if err := p.deleteVerticalAutoscaler(ctx); err != nil {
		return err
	}
	return p.deleteMetricsServer(ctx)
}

// podAutoscaling are the Deployments of this file, which exist in some shoots only.
func podAutoscaling() []string {
	return append(verticalpodautoscaler.Deployments(), metricsserver.Name)
}
