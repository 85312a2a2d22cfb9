package local_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/webhook"
	"github.com/gardener-up/gardener-up/providers/contract"
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
	osc.Annotations = map[string]string{"gardener.cloud/operation": "reconcile"}
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
		if err := webhook.Mutators(machines, nil).KubeScheduler(t.Context(), d); err != nil || d.Annotations[webhook.MachinesAnnotation] != want {
			t.Errorf("%q: %v, %v", machines, d.Annotations, err)
		}
	}
}

func TestContentOfMachines(t *testing.T) {
	const hosts = "/etc/containerd/certs.d/docker.io/hosts.toml"
	file := func(path, content string) extensionsv1alpha1.File {
		return extensionsv1alpha1.File{Path: path, Content: extensionsv1alpha1.FileContent{Inline: &extensionsv1alpha1.FileContentInline{Data: content}}}
	}
	for name, tc := range map[string]struct {
		annotations map[string]string
		files       []extensionsv1alpha1.File
		want        []string
	}{
		"EXT-10 the gardenlet's request gets a greeting":          {map[string]string{"gardener.cloud/operation": "reconcile"}, nil, []string{"/etc/motd"}},
		"EXT-10 what the controller writes keeps its content":     {nil, nil, nil},
		"OSC-8 a mirror that is not wanted any more goes":         {map[string]string{"gardener.cloud/operation": "reconcile"}, []extensionsv1alpha1.File{file(hosts, "# Written by the provider local.\n")}, []string{"/etc/motd"}},
		"OSC-8 a mirror that another extension has written stays": {map[string]string{"gardener.cloud/operation": "restore"}, []extensionsv1alpha1.File{file(hosts, "server = \"https://a\"\n")}, []string{hosts, "/etc/motd"}},
		"OSC-8 any other file stays, whatever it looks like":      {map[string]string{"gardener.cloud/operation": "reconcile"}, []extensionsv1alpha1.File{file("/a", "# Written by the provider local.\n")}, []string{"/a", "/etc/motd"}},
		"EXT-10 a greeting that is there already is not repeated": {map[string]string{"gardener.cloud/operation": "reconcile"}, []extensionsv1alpha1.File{file("/etc/motd", "")}, []string{"/etc/motd"}},
	} {
		t.Run(name, func(t *testing.T) {
			osc := newOSC()
			osc.Annotations, osc.Spec.Files = tc.annotations, tc.files
			for range 2 {
				if err := webhook.Mutators("", seed).OperatingSystemConfig(t.Context(), osc); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for _, f := range osc.Spec.Files {
				got = append(got, f.Path)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("files are %v, want %v", got, tc.want)
			}
		})
	}
	t.Run("EXT-10 machines of another provider get nothing", func(t *testing.T) {
		other := &contract.Cluster{Shoot: &gardencorev1beta1.Shoot{}}
		other.Shoot.Spec.Provider.Type = "cloud"
		if files, err := (webhook.Contents{Reader: seed}).Files(t.Context(), other, newOSC()); err != nil || len(files) > 0 {
			t.Errorf("files are %v, %v", files, err)
		}
	})
}
