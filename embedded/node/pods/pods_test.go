package pods

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func isAppliance(image string) bool { return strings.HasPrefix(image, "appliance") }

func container(name, image string, volumes ...string) corev1.Container {
	c := corev1.Container{
		Name: name, Image: image, ImagePullPolicy: corev1.PullAlways, Args: []string{"a"},
		Env:             []corev1.EnvVar{{Name: "A", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{Key: "k"}}}},
		ReadinessProbe:  &corev1.Probe{PeriodSeconds: 1},
		LivenessProbe:   &corev1.Probe{PeriodSeconds: 2},
		StartupProbe:    &corev1.Probe{PeriodSeconds: 3},
		Lifecycle:       &corev1.Lifecycle{PostStart: &corev1.LifecycleHandler{}},
		SecurityContext: &corev1.SecurityContext{RunAsUser: new(int64(1000)), RunAsNonRoot: new(true)},
	}
	for _, volume := range volumes {
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: volume, MountPath: "/" + volume})
	}
	return c
}

func pod() *corev1.Pod {
	return &corev1.Pod{Spec: corev1.PodSpec{
		SecurityContext: &corev1.PodSecurityContext{FSGroup: new(int64(65532)), RunAsUser: new(int64(65532))},
		InitContainers:  []corev1.Container{container("init", "busybox", "cni")},
		Containers:      []corev1.Container{container("real", "appliance:v1", "pki"), container("other", "nginx", "pki", "driver")},
		Volumes:         []corev1.Volume{{Name: "cni"}, {Name: "pki"}, {Name: "driver"}, {Name: "unused"}},
	}}
}

func TestAdapt(t *testing.T) {
	original := pod()
	adapted := Adapt(original, Judgement{Processes: []string{"real"}}, "/node/hostpaths", false)
	if diff := cmp.Diff(pod(), original); diff != "" {
		t.Errorf("the pod itself changed (-want +got):\n%s", diff)
	}

	real := container("real", "appliance:v1", "pki")
	real.SecurityContext, real.ImagePullPolicy = nil, corev1.PullIfNotPresent
	real.ReadinessProbe.FailureThreshold, real.StartupProbe.FailureThreshold = 1, 1
	want := corev1.PodSpec{
		SecurityContext: &corev1.PodSecurityContext{}, DNSPolicy: corev1.DNSDefault,
		InitContainers: []corev1.Container{{Name: "init", Image: "busybox", Args: []string{"a"}, ImagePullPolicy: corev1.PullIfNotPresent}},
		Containers:     []corev1.Container{real, {Name: "other", Image: "nginx", Args: []string{"a"}, ImagePullPolicy: corev1.PullIfNotPresent}},
		Volumes:        []corev1.Volume{{Name: "pki"}},
	}
	if diff := cmp.Diff(want, adapted.Spec); diff != "" {
		t.Errorf("spec for the kubelet (-want +got):\n%s", diff)
	}
}

func TestProbesAreHastened(t *testing.T) {
	for name, tc := range map[string]struct {
		young       bool
		extra       int32
		probe, want corev1.Probe
	}{
		"a delay is dropped": {
			probe: corev1.Probe{InitialDelaySeconds: 15, PeriodSeconds: 10, FailureThreshold: 3},
			want:  corev1.Probe{PeriodSeconds: 10, FailureThreshold: 3},
		},
		"extra time becomes attempts": {
			extra: 15,
			probe: corev1.Probe{InitialDelaySeconds: 15, PeriodSeconds: 10, FailureThreshold: 3},
			want:  corev1.Probe{PeriodSeconds: 10, FailureThreshold: 5},
		},
		"a young node asks more often, for as long": {
			young: true,
			probe: corev1.Probe{PeriodSeconds: 10, FailureThreshold: 3},
			want:  corev1.Probe{PeriodSeconds: 2, FailureThreshold: 15},
		},
		"a short interval stays": {
			young: true,
			probe: corev1.Probe{PeriodSeconds: 1, FailureThreshold: 2},
			want:  corev1.Probe{PeriodSeconds: 1, FailureThreshold: 2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			hasten(&tc.probe, tc.young, tc.extra)
			if diff := cmp.Diff(tc.want, tc.probe); diff != "" {
				t.Errorf("probe (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIndex(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	sidecar := container("sidecar", "nginx")
	sidecar.RestartPolicy = &always
	job := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{UID: "job", OwnerReferences: []metav1.OwnerReference{{Kind: "Job"}}},
		Spec: corev1.PodSpec{
			Priority:       new(int32(7)),
			InitContainers: []corev1.Container{container("init", "nginx"), sidecar},
			Containers:     []corev1.Container{container("main", "nginx")},
		},
	}
	server := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{UID: "server", OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet"}}},
		Spec:       corev1.PodSpec{InitContainers: []corev1.Container{container("init", "nginx")}, Containers: []corev1.Container{container("main", "nginx")}},
	}
	x := &Index{}
	x.Set([]*corev1.Pod{job, server})
	for name, tc := range map[string]struct {
		pod, container string
		want           bool
	}{
		"an init container completes":                 {"server", "init", true},
		"a server's container does not":               {"server", "main", false},
		"a Job's container completes":                 {"job", "main", true},
		"an init container that is a sidecar doesn't": {"job", "sidecar", false},
		"an unknown pod's container does not":         {"gone", "main", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := x.Completes(tc.pod, tc.container); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
	if x.Priority("job") != 7 || x.Priority("server") != 0 || x.Priority("gone") != 0 {
		t.Error("priorities are wrong")
	}
	server.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	x.Set([]*corev1.Pod{job, server})
	if !x.Waits("job") || x.Waits("server") || x.Waits("gone") {
		t.Error("readiness is wrong")
	}
	x.Set(nil)
	if x.Priority("job") != 0 {
		t.Error("a removed pod is still known")
	}
}
