package local_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/webhook"
)

// additions writes what the gardenlet writes, with dry runs until the API server calls the webhook.
func additions(t *testing.T) {
	const ns = "shoot--local--added"
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns, Labels: map[string]string{"shoot.gardener.cloud/provider": "local"}}}
	if err := seed.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{"app": "kubernetes", "role": "apiserver"}
	server := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "kube-apiserver", Labels: map[string]string{
			"app": "kubernetes", "role": "apiserver", "provider.extensions.gardener.cloud/mutated-by-controlplane-webhook": "true",
		}},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "a"}}}},
		},
	}
	environment.Until(t, "the Deployment says what its machines are", func(ctx context.Context) error {
		written := server.DeepCopy()
		if err := seed.Create(ctx, written, client.DryRunAll); err != nil {
			return err
		}
		if got := written.Annotations["local.provider.extensions.gardener.cloud/machines"]; got != "pod" {
			return errors.New("the machines are " + got)
		}
		if len(written.Spec.Template.Annotations) > 0 {
			t.Errorf("pods have %v, and so restart", written.Spec.Template.Annotations)
		}
		return nil
	})
	osc := newOSC()
	osc.Namespace, osc.Labels = ns, map[string]string{"provider.extensions.gardener.cloud/mutated-by-controlplane-webhook": "true"}
	own := len(osc.Spec.Files)
	if err := seed.Create(t.Context(), osc, client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	if len(osc.Spec.Files) != own+1 || osc.Spec.Files[own].Path != "/etc/motd" || !strings.Contains(osc.Spec.Files[own].Content.Inline.Data, "machine of "+ns) {
		t.Errorf("files are %+v", osc.Spec.Files)
	}
}

func TestMachinesOfASeed(t *testing.T) {
	for machines, want := range map[api.MachineRuntime]string{"": "pod", api.Pods: "pod", api.Containers: "container"} {
		d := &appsv1.Deployment{}
		if err := webhook.Mutators(machines).KubeScheduler(t.Context(), d); err != nil || d.Annotations[webhook.MachinesAnnotation] != want {
			t.Errorf("%q: %v, %v", machines, d.Annotations, err)
		}
	}
	osc := &extensionsv1alpha1.OperatingSystemConfig{}
	for range 2 {
		if err := webhook.Mutators("").OperatingSystemConfig(t.Context(), osc); err != nil || len(osc.Spec.Files) != 1 {
			t.Errorf("files are %+v, %v", osc.Spec.Files, err)
		}
	}
}
