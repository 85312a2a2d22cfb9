package resourcemanager_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// hooked is the namespace whose objects the webhooks under test change; see setUp.
const hooked = "hooked"

func TestWebhooksAreRegistered(t *testing.T) {
	t.Parallel()
	configuration := &admissionregistrationv1.MutatingWebhookConfiguration{}
	eventually(t, "registration", func(ctx context.Context) error {
		return target.Get(ctx, client.ObjectKey{Name: "gardener-resource-manager"}, configuration)
	})
	type summary struct {
		Name, Path, Failure string
		Seconds             int32
		Trusted             bool
	}
	var got []summary
	for _, w := range configuration.Webhooks {
		_, path, _ := strings.Cut(strings.TrimPrefix(ptr.Deref(w.ClientConfig.URL, ""), "https://"), "/")
		got = append(got, summary{strings.TrimSuffix(w.Name, ".resources.gardener.cloud"), path, string(*w.FailurePolicy), *w.TimeoutSeconds, len(w.ClientConfig.CABundle) > 0})
	}
	want := []summary{
		{"projected-token-mount", "webhooks/projected-token-mount", "Fail", 10, true},
		{"pod-scheduler-name", "webhooks/pod-scheduler-name", "Ignore", 10, true},
		{"pod-topology-spread-constraints", "webhooks/pod-topology-spread-constraints", "Fail", 10, true},
		{"pod-zone-affinity", "webhooks/pod-zone-affinity", "Fail", 10, true},
		{"seccomp-profile", "webhooks/seccomp-profile", "Fail", 10, true},
		{"system-components-config", "webhooks/system-components-config", "Fail", 10, true},
		{"kubernetes-service-host", "webhooks/kubernetes-service-host", "Ignore", 2, true},
		{"token-invalidator", "webhooks/invalidate-service-account-token-secret", "Fail", 10, true},
		{"deployments.high-availability-config", "webhooks/high-availability-config/deployments", "Fail", 10, true},
		{"statefulsets.high-availability-config", "webhooks/high-availability-config/statefulsets", "Fail", 10, true},
		{"horizontalpodautoscalers.high-availability-config", "webhooks/high-availability-config/horizontalpodautoscalers", "Fail", 10, true},
	}
	t.Run("GRM-32 GRM-35 GRM-37 GRM-38 with paths, policies and a bundle", func(t *testing.T) {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("webhooks (-want +got):\n%s", diff)
		}
	})
}

// createPod waits until the webhooks are called.
func createPod(t *testing.T, pod *corev1.Pod) *corev1.Pod {
	t.Helper()
	pod.Namespace = hooked
	pod.Spec.Containers = []corev1.Container{{Name: "main", Image: "nginx"}}
	pod.Spec.InitContainers = []corev1.Container{{Name: "init", Image: "nginx"}}
	original := pod.DeepCopy()
	eventually(t, "create pod", func(ctx context.Context) error {
		*pod = *original.DeepCopy()
		if err := target.Create(ctx, pod); err != nil {
			return err
		}
		if pod.Spec.SecurityContext == nil || pod.Spec.SecurityContext.SeccompProfile == nil {
			return errors.Join(errors.New("webhooks are not called yet"), target.Delete(ctx, pod, client.GracePeriodSeconds(0)))
		}
		return nil
	})
	return pod
}

func TestPodWebhooks(t *testing.T) {
	t.Parallel()
	for name, automount := range map[string]*bool{"quiet": ptr.To(false), "loud": nil} {
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: hooked, Name: name}, AutomountServiceAccountToken: automount}
		if err := target.Create(t.Context(), account); err != nil {
			t.Fatal(err)
		}
	}
	pod := createPod(t, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "all", Labels: map[string]string{"pod-template-hash": "abc"}},
		Spec: corev1.PodSpec{
			ServiceAccountName: "quiet",
			TopologySpreadConstraints: []corev1.TopologySpreadConstraint{{
				MaxSkew: 1, TopologyKey: "kubernetes.io/hostname", WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}},
			}},
		},
	})
	t.Run("GRM-32 GRM-33 GRM-34 the token is mounted in all containers", func(t *testing.T) {
		if n := len(pod.Spec.Volumes); n != 1 || pod.Spec.Volumes[0].Name != "kube-api-access-gardener" {
			t.Fatalf("volumes = %+v", pod.Spec.Volumes)
		}
		projected := pod.Spec.Volumes[0].Projected
		if *projected.DefaultMode != 420 || *projected.Sources[0].ServiceAccountToken.ExpirationSeconds != 43200 || projected.Sources[0].ServiceAccountToken.Path != "token" {
			t.Errorf("volume = %+v", projected)
		}
		for _, c := range append(pod.Spec.InitContainers, pod.Spec.Containers...) {
			if len(c.VolumeMounts) != 1 || c.VolumeMounts[0].MountPath != "/var/run/secrets/kubernetes.io/serviceaccount" {
				t.Errorf("mounts of %s = %+v", c.Name, c.VolumeMounts)
			}
		}
	})
	t.Run("GRM-37 constraints count one ReplicaSet", func(t *testing.T) {
		want := map[string]string{"app": "x", "pod-template-hash": "abc"}
		if diff := cmp.Diff(want, pod.Spec.TopologySpreadConstraints[0].LabelSelector.MatchLabels); diff != "" {
			t.Errorf("labels (-want +got):\n%s", diff)
		}
	})
	t.Run("GRM-35 the namespace's zone is required", func(t *testing.T) {
		terms := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
		if got := fmt.Sprint(terms[0].MatchExpressions); got != "[{topology.kubernetes.io/zone In [zone-a]}]" {
			t.Errorf("node affinity = %s", got)
		}
		if got := pod.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].TopologyKey; got != "topology.kubernetes.io/zone" {
			t.Errorf("pod affinity is about %q", got)
		}
	})
	t.Run("SAC-4 scheduler, host of the API server and profile are set", func(t *testing.T) {
		if pod.Spec.SchedulerName != "other-scheduler" || pod.Spec.Containers[0].Env[0].Value != "api.example.org" || pod.Spec.SecurityContext.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
			t.Errorf("spec = %+v", pod.Spec)
		}
	})
	for name, change := range map[string]func(*corev1.Pod){
		"GRM-32 not with the label to skip": func(p *corev1.Pod) {
			p.Labels = map[string]string{"projected-token-mount.resources.gardener.cloud/skip": "true"}
		},
		"GRM-32 not for the default service account": func(p *corev1.Pod) { p.Spec.ServiceAccountName = "default" },
		"GRM-32 not when Kubernetes mounts a token":  func(p *corev1.Pod) { p.Spec.ServiceAccountName = "loud" },
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "not-"}, Spec: corev1.PodSpec{ServiceAccountName: "quiet"}}
			change(pod)
			if pod = createPod(t, pod); len(pod.Spec.Volumes) != 0 {
				t.Errorf("volumes = %+v", pod.Spec.Volumes)
			}
		})
	}
}

func TestHighAvailabilityWebhook(t *testing.T) {
	t.Parallel()
	labels := map[string]string{"app": "server"}
	var deployment *appsv1.Deployment
	eventually(t, "webhook is called", func(ctx context.Context) error {
		deployment = &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Namespace: hooked, GenerateName: "server-", Labels: map[string]string{"high-availability-config.resources.gardener.cloud/type": "server"}},
			Spec: appsv1.DeploymentSpec{
				Replicas: ptr.To[int32](1), Selector: &metav1.LabelSelector{MatchLabels: labels},
				Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "nginx"}}}},
			},
		}
		if err := target.Create(ctx, deployment); err != nil {
			return err
		}
		if *deployment.Spec.Replicas != 2 {
			return errors.New("replicas are not raised")
		}
		return nil
	})
	t.Run("GRM-38 constraints on hostname and zone", func(t *testing.T) {
		var keys []string
		for _, constraint := range deployment.Spec.Template.Spec.TopologySpreadConstraints {
			keys = append(keys, constraint.TopologyKey+"="+string(constraint.WhenUnsatisfiable))
		}
		if diff := cmp.Diff([]string{"kubernetes.io/hostname=DoNotSchedule", "topology.kubernetes.io/zone=DoNotSchedule"}, keys); diff != "" {
			t.Errorf("constraints (-want +got):\n%s", diff)
		}
	})
}
