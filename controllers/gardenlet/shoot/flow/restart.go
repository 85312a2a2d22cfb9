package flow

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/coredns"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// annotationRestarted of pods in the shoot is when a restart of them was ordered last: another time is another pod.
const annotationRestarted = "gardener.cloud/restarted-at"

// ordered tells whether a task was ordered for this run.
func (p *Plan) ordered(task string) bool {
	return slices.Contains(strings.Split(p.Shoot.Annotations[constants.ShootTasks], ","), task)
}

// restartControlPlane deletes the pods that are marked for it; their Deployments make new ones.
func (p *Plan) restartControlPlane(ctx context.Context) error {
	err := p.SeedClient.DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(p.namespace), client.MatchingLabels{constants.LabelMaintenanceRestart: "true"})
	if err != nil {
		return fmt.Errorf("delete pods that maintenance restarts: %w", err)
	}
	return nil
}

// restartOf returns the annotations for pods of a system component of the shoot: as they are, or with the present time if
// a restart is ordered.
func (p *Plan) restartOf(ctx context.Context, present func(context.Context) ([]corev1.PodTemplateSpec, error)) (map[string]string, error) {
	if p.ordered(constants.ShootTaskRestartCoreAddons) {
		return map[string]string{annotationRestarted: p.Clock.Now().UTC().Format(time.RFC3339)}, nil
	}
	templates, err := present(ctx)
	if err != nil {
		return nil, err
	}
	latest := ""
	for _, template := range templates {
		latest = max(latest, template.Annotations[annotationRestarted])
	}
	if latest == "" {
		return nil, nil
	}
	return map[string]string{annotationRestarted: latest}, nil
}

func (p *Plan) presentCoreDNS(ctx context.Context) ([]corev1.PodTemplateSpec, error) {
	deployment := &appsv1.Deployment{}
	err := p.shoot.Get(ctx, client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: coredns.Name}, deployment)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("read CoreDNS of the shoot: %w", err)
	}
	return []corev1.PodTemplateSpec{deployment.Spec.Template}, nil
}

func (p *Plan) presentKubeProxy(ctx context.Context) ([]corev1.PodTemplateSpec, error) {
	list := &appsv1.DaemonSetList{}
	err := p.shoot.List(ctx, list, client.InNamespace(metav1.NamespaceSystem), client.MatchingLabels(names.ControlPlane(constants.LabelProxy)))
	if err != nil {
		return nil, fmt.Errorf("list DaemonSets of kube-proxy in the shoot: %w", err)
	}
	var templates []corev1.PodTemplateSpec
	for _, set := range list.Items {
		templates = append(templates, set.Spec.Template)
	}
	return templates, nil
}
