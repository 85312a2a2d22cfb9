package system

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/coredns"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/pages"
)

// Restarts knows when pods of system components were restarted last.
type Restarts struct {
	Shoot *gardencorev1beta1.Shoot
	Clock clock.PassiveClock
}

// annotationRestarted of pods in the shoot is when a restart was requested last. A change of it replaces the pods.
const annotationRestarted = "gardener.cloud/restarted-at"

// of returns the annotations for pods of a system component of the shoot: the current ones, or the current time if a
// restart is requested.
func (r Restarts) of(ctx context.Context, shoot connection.Connection, present func(context.Context, client.Reader) ([]corev1.PodTemplateSpec, error)) (map[string]string, error) {
	if operation.Ordered(r.Shoot, constants.ShootTaskRestartCoreAddons) {
		return map[string]string{annotationRestarted: r.Clock.Now().UTC().Format(time.RFC3339)}, nil
	}
	templates, err := present(ctx, shoot.Client)
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

func presentCoreDNS(ctx context.Context, shoot client.Reader) ([]corev1.PodTemplateSpec, error) {
	deployment := &appsv1.Deployment{}
	err := shoot.Get(ctx, client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: coredns.Name}, deployment)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("read CoreDNS of the shoot: %w", err)
	}
	return []corev1.PodTemplateSpec{deployment.Spec.Template}, nil
}

// mostProxies is how many DaemonSets of kube-proxy are looked at: each pool has one or two.
const mostProxies = 1000

func presentKubeProxy(ctx context.Context, shoot client.Reader) ([]corev1.PodTemplateSpec, error) {
	var templates []corev1.PodTemplateSpec
	for page, err := range pages.Of(ctx, shoot, &appsv1.DaemonSetList{}, mostProxies, client.InNamespace(metav1.NamespaceSystem), client.MatchingLabels(names.ControlPlane(constants.LabelProxy))) {
		if err != nil {
			return nil, fmt.Errorf("list DaemonSets of kube-proxy in the shoot: %w", err)
		}
		for i := range page.Items {
			kept := corev1.PodTemplateSpec{}
			metav1.SetMetaDataAnnotation(&kept.ObjectMeta, annotationRestarted, page.Items[i].Spec.Template.Annotations[annotationRestarted])
			templates = append(templates, kept)
		}
	}
	return templates, nil
}
