package webhook

import (
	"context"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/embedded/webhook/webhooktest"
)

// FuzzWebhook calls the webhook of a provider that changes all kinds with the helpers of this package. The API server passes on the
// kinds of one webhook to one handler; here each kind is called for itself.
func FuzzWebhook(f *testing.F) {
	argument := func(_ context.Context, d *appsv1.Deployment) error {
		for i := range d.Spec.Template.Spec.Containers {
			Argument(&d.Spec.Template.Spec.Containers[i], "--cloud", "sky")
		}
		return nil
	}
	options := Options{Provider: "provider-cloud", Type: "cloud", Mutators: Mutators{
		KubeAPIServer: argument, KubeControllerManager: argument, KubeScheduler: argument,
		KubeAPIServerService: func(_ context.Context, s *corev1.Service) error { s.Spec.ExternalTrafficPolicy = "Local"; return nil },
		Etcd:                 func(_ context.Context, e *druidv1alpha1.Etcd) error { e.Spec.StorageClass = ptr.To("fast"); return nil },
		OperatingSystemConfig: func(_ context.Context, osc *extensionsv1alpha1.OperatingSystemConfig) error {
			File(osc, extensionsv1alpha1.File{Path: "/etc/cloud", Content: extensionsv1alpha1.FileContent{Inline: &extensionsv1alpha1.FileContentInline{Data: "sky"}}})
			Unit(osc, extensionsv1alpha1.Unit{Name: "cloud.service", Content: ptr.To("[Unit]")})
			return nil
		},
		Network: func(_ context.Context, n *extensionsv1alpha1.Network) error {
			n.Spec.PodCIDR = "10.0.0.0/8"
			return nil
		},
	}}
	webhooktest.Fuzz(f, []webhook.Hook{hook(options)})
}
