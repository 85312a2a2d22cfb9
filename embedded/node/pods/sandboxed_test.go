package pods

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestJudgeSandboxed(t *testing.T) {
	isAppliance := func(image string) bool { return image == "appliance" }
	pod := func(change func(*corev1.Pod)) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default"}, Spec: corev1.PodSpec{
			InitContainers: []corev1.Container{{Name: "init", Image: "any"}},
			Containers:     []corev1.Container{{Name: "web", Image: "any"}, {Name: "own", Image: "appliance"}},
		}}
		if change != nil {
			change(p)
		}
		return p
	}
	for name, tc := range map[string]struct {
		pod    *corev1.Pod
		before Judgement
		want   []string
	}{
		"APP-11 containers of all images but the appliance image": {pod: pod(nil), want: []string{"init", "web"}},
		"APP-17 a pod that asks to be simulated":                  {pod: pod(func(p *corev1.Pod) { p.Annotations = map[string]string{SimulateAnnotation: "true"} })},
		"APP-11 a pod in the network of the node":                 {pod: pod(func(p *corev1.Pod) { p.Spec.HostNetwork = true })},
		"APP-11 containers of users in kube-system":               {pod: pod(func(p *corev1.Pod) { p.Namespace = metav1.NamespaceSystem }), want: []string{"init", "web"}},
		"APP-11 system components": {pod: pod(func(p *corev1.Pod) {
			p.Namespace, p.Labels = metav1.NamespaceSystem, map[string]string{"origin": "gardener"}
		})},
		"APP-11 a pod of users that calls itself a system component elsewhere": {
			pod: pod(func(p *corev1.Pod) { p.Labels = map[string]string{"origin": "gardener"} }), want: []string{"init", "web"},
		},
		"APP-11 a pod with processes": {pod: pod(nil), before: Judgement{Processes: []string{"own"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := JudgeSandboxed(tc.pod, isAppliance, tc.before).Sandboxed; !slices.Equal(got, tc.want) {
				t.Errorf("sandboxed %v, want %v", got, tc.want)
			}
		})
	}
}

func TestAdaptSandboxed(t *testing.T) {
	user := int64(1000)
	forged := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{sandboxedAnnotation: "other"}},
		Spec: corev1.PodSpec{
			SecurityContext: &corev1.PodSecurityContext{RunAsUser: &user},
			Containers: []corev1.Container{
				{Name: "web", ReadinessProbe: &corev1.Probe{}, VolumeMounts: []corev1.VolumeMount{{Name: "machine", MountPath: "/machine"}}},
				{Name: "other", Env: []corev1.EnvVar{{Name: "A"}}},
			},
			Volumes: []corev1.Volume{{Name: "machine", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/etc/../../root"}}}},
		},
	}
	adapted := Adapt(forged, Judgement{Sandboxed: []string{"web"}}, "/node/hostpaths", false)
	if !RunsSandboxed(adapted.Annotations, "web") || RunsSandboxed(adapted.Annotations, "other") || RunsSandboxed(adapted.Annotations, "") {
		t.Errorf("APP-11 annotations %v", adapted.Annotations)
	}
	if path := adapted.Spec.Volumes[0].HostPath.Path; path != "/node/hostpaths/root" {
		t.Errorf("APP-14 the directory of the machine is %s", path)
	}
	if adapted.Spec.SecurityContext.RunAsUser == nil || adapted.Spec.Containers[0].ReadinessProbe == nil {
		t.Error("APP-11 users and probes of sandboxed containers are lost")
	}
	if len(adapted.Spec.Containers[1].Env) > 0 {
		t.Error("APP-11 a simulated container beside a sandboxed one keeps its variables")
	}
}

// The kubelet connects as the machine, so it must not connect at all.
func TestProbesOfSandboxesReachOnlyThePod(t *testing.T) {
	handlers := map[string]corev1.ProbeHandler{
		"HTTP": {HTTPGet: &corev1.HTTPGetAction{Host: "127.0.0.1", Path: "/$(HOME)", Port: intstr.FromString("web")}},
		"TCP":  {TCPSocket: &corev1.TCPSocketAction{Host: "10.0.0.1", Port: intstr.FromInt32(90)}},
		"gRPC": {GRPC: &corev1.GRPCAction{Port: 91}},
	}
	want := map[string]corev1.ProbeHandler{
		"HTTP": {HTTPGet: &corev1.HTTPGetAction{Path: "/$(HOME)", Port: intstr.FromInt32(80)}},
		"TCP":  {TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(90)}},
		"gRPC": {GRPC: &corev1.GRPCAction{Port: 91}},
	}
	for name, handler := range handlers {
		t.Run("APP-14 a probe is a command for the runtime: "+name, func(t *testing.T) {
			hook := &corev1.LifecycleHandler{HTTPGet: handler.HTTPGet}
			container := func(name string) corev1.Container {
				return *(&corev1.Container{
					Name: name, Ports: []corev1.ContainerPort{{Name: "web", ContainerPort: 80}}, Lifecycle: &corev1.Lifecycle{PostStart: hook, PreStop: hook},
					LivenessProbe: &corev1.Probe{ProbeHandler: handler}, ReadinessProbe: &corev1.Probe{ProbeHandler: handler}, StartupProbe: &corev1.Probe{ProbeHandler: handler},
				}).DeepCopy()
			}
			pod := &corev1.Pod{Spec: corev1.PodSpec{InitContainers: []corev1.Container{container("init")}, Containers: []corev1.Container{container("web")}}}
			adapted := Adapt(pod, Judgement{Sandboxed: []string{"init", "web"}}, "/node/hostpaths", false)
			for _, c := range []corev1.Container{adapted.Spec.InitContainers[0], adapted.Spec.Containers[0]} {
				for _, at := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
					checkProbe(t, at.ProbeHandler, Probe{ProbeHandler: want[name]})
				}
				for _, at := range []*corev1.LifecycleHandler{c.Lifecycle.PostStart, c.Lifecycle.PreStop} {
					if handler.HTTPGet != nil {
						checkProbe(t, corev1.ProbeHandler{Exec: at.Exec, HTTPGet: at.HTTPGet}, Probe{ProbeHandler: want[name], Hook: true})
					}
				}
			}
		})
	}
	t.Run("APP-14 commands of users stay", func(t *testing.T) {
		own := corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"cat", "/$(HOME)"}}}
		c := &corev1.Container{ReadinessProbe: &corev1.Probe{ProbeHandler: own}, Lifecycle: &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Exec: own.Exec}}}
		before := c.DeepCopy()
		keepInside(c)
		if !reflect.DeepEqual(before, c) {
			t.Errorf("changed to %v", c)
		}
		if _, ok, err := ProbeOf(own.Exec.Command); ok || err != nil {
			t.Errorf("a command is a probe: %t, %v", ok, err)
		}
	})
}

// checkProbe checks that a handler is nothing but a command for a probe, in which the kubelet finds no variables.
func checkProbe(t *testing.T, handler corev1.ProbeHandler, want Probe) {
	t.Helper()
	if handler.Exec == nil || handler.HTTPGet != nil || handler.TCPSocket != nil || handler.GRPC != nil {
		t.Fatalf("the kubelet connects itself: %v", handler)
	}
	if strings.Contains(strings.Join(handler.Exec.Command, ""), "$") {
		t.Errorf("the kubelet would replace variables in %q", handler.Exec.Command)
	}
	if got, ok, err := ProbeOf(handler.Exec.Command); !ok || err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q stands for %+v, %t, %v", handler.Exec.Command, got, ok, err)
	}
}

func TestVariablesFromFiles(t *testing.T) {
	yes := true
	from := func(optional *bool) corev1.EnvVar {
		return corev1.EnvVar{Name: "X", ValueFrom: &corev1.EnvVarSource{FileKeyRef: &corev1.FileKeySelector{VolumeName: "data", Path: "env", Key: "X", Optional: optional}}}
	}
	for name, tc := range map[string]struct {
		variable corev1.EnvVar
		left     int
		says     string
	}{
		"APP-14 a variable from a file is refused": {from(nil), 1, noFileKeys},
		"APP-14 an optional one does not exist":    {from(&yes), 0, ""},
		"APP-11 one with a value stays as it is":   {corev1.EnvVar{Name: "X", Value: "1"}, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Env: []corev1.EnvVar{tc.variable}}}}}
			env := Adapt(pod, Judgement{Sandboxed: []string{"web"}}, "/node/hostpaths", false).Spec.Containers[0].Env
			if len(env) != tc.left {
				t.Fatalf("variables %v", env)
			}
			if tc.says != "" && env[0].ValueFrom.ConfigMapKeyRef.Name != tc.says || tc.says == "" && tc.left > 0 && env[0].Value != "1" {
				t.Errorf("variable %v", env[0])
			}
		})
	}
}
