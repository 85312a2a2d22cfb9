package podsignature

import (
	"errors"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func newSigner(t *testing.T) *Signer {
	t.Helper()
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ParseKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// built is a StatefulSet as a controller builds it.
func built() *appsv1.StatefulSet {
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shoot--a--b", Name: "etcd-main"},
		Spec: appsv1.StatefulSetSpec{
			VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"}}},
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				ServiceAccountName: "etcd",
				Containers: []corev1.Container{{
					Name: "etcd", Image: "gardener", Args: []string{"component", "etcd", "--name=$(POD_NAME)"},
					Env: []corev1.EnvVar{
						{Name: "POD_NAME", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}},
						{Name: "GOGC", Value: "25"},
					},
					Ports:          []corev1.ContainerPort{{ContainerPort: 2379}},
					ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/readyz", Port: intstr.FromInt32(2381)}}},
					VolumeMounts:   []corev1.VolumeMount{{Name: "data", MountPath: "/data"}, {Name: "pki", MountPath: "/pki"}, {Name: "own", MountPath: "/own"}},
				}},
				Volumes: []corev1.Volume{
					{Name: "pki", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "server"}}},
					{Name: "own", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: OwnSecret}}},
				},
			}},
		},
	}
}

// admitted is the pod of the set as a kubelet sees it: with defaults, a token, and what the controller of StatefulSets and a
// scheduler add.
func admitted(t *testing.T, signer *Signer) *corev1.Pod {
	t.Helper()
	set := built()
	if err := signer.Object(set); err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: set.Namespace, Name: "etcd-main-0", Annotations: set.Spec.Template.Annotations, Labels: map[string]string{"apps.kubernetes.io/pod-index": "0"}},
		Spec:       set.Spec.Template.Spec,
	}
	links, mode, seconds := true, int32(420), int64(3607)
	spec, c := &pod.Spec, &pod.Spec.Containers[0]
	spec.NodeName, spec.Hostname, spec.EnableServiceLinks, spec.SecurityContext = "node", pod.Name, &links, &corev1.PodSecurityContext{}
	spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	c.TerminationMessagePath, c.TerminationMessagePolicy, c.ImagePullPolicy = "/dev/termination-log", corev1.TerminationMessageReadFile, corev1.PullIfNotPresent
	c.Ports[0].Protocol, c.Env[0].ValueFrom.FieldRef.APIVersion = corev1.ProtocolTCP, "v1"
	c.ReadinessProbe.HTTPGet.Scheme, c.ReadinessProbe.PeriodSeconds, c.ReadinessProbe.FailureThreshold = corev1.URISchemeHTTP, 10, 3
	c.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
	c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "kube-api-access-abcde", MountPath: tokenPath, ReadOnly: true})
	spec.Volumes[0].Secret.DefaultMode, spec.Volumes[1].Secret.DefaultMode, spec.Volumes[1].Secret.SecretName = &mode, &mode, pod.Name
	spec.Volumes = append([]corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-etcd-main-0"},
	}}}, spec.Volumes...)
	spec.Volumes = append(spec.Volumes, corev1.Volume{Name: "kube-api-access-abcde", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		DefaultMode: &mode,
		Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", ExpirationSeconds: &seconds}},
			{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"}, Items: []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
			{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}}}}},
		},
	}}})
	return pod
}

func TestAdmittedPodsAreGenuine(t *testing.T) {
	signer := newSigner(t)
	if err := signer.Verifier().Verify(admitted(t, signer)); err != nil {
		t.Error(err)
	}
	first, second := built(), built()
	second.Spec.Template.Labels, second.Spec.Template.Annotations = map[string]string{"a": "b"}, map[string]string{"a": "b"}
	for _, set := range []*appsv1.StatefulSet{first, second} {
		if err := signer.Object(set); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := first.Spec.Template.Annotations[Annotation], second.Spec.Template.Annotations[Annotation]; a != b || second.Spec.Template.Annotations["a"] != "b" {
		t.Errorf("signatures of the same processes are %q and %q", a, b)
	}
}

func TestForgedPodsAreNot(t *testing.T) {
	signer := newSigner(t)
	container := func(change func(*corev1.Container)) func(*corev1.Pod) {
		return func(pod *corev1.Pod) { change(&pod.Spec.Containers[0]) }
	}
	yes := true
	for name, change := range map[string]func(*corev1.Pod){
		"another namespace":     func(pod *corev1.Pod) { pod.Namespace = "shoot--a--c" },
		"another account":       func(pod *corev1.Pod) { pod.Spec.ServiceAccountName = "admin" },
		"the host's network":    func(pod *corev1.Pod) { pod.Spec.HostNetwork = true },
		"the host's processes":  func(pod *corev1.Pod) { pod.Spec.HostPID = true },
		"the host's memory":     func(pod *corev1.Pod) { pod.Spec.HostIPC = true },
		"shared processes":      func(pod *corev1.Pod) { pod.Spec.ShareProcessNamespace = &yes },
		"variables of Services": func(pod *corev1.Pod) { no := false; pod.Spec.EnableServiceLinks = &no },
		"one container more": func(pod *corev1.Pod) {
			pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: "b", Image: "gardener"})
		},
		"a container before":    func(pod *corev1.Pod) { pod.Spec.InitContainers = []corev1.Container{{Name: "b", Image: "gardener"}} },
		"another Secret":        func(pod *corev1.Pod) { pod.Spec.Volumes[1].Secret.SecretName = "other" },
		"the Secret of another": func(pod *corev1.Pod) { pod.Spec.Volumes[2].Secret.SecretName = "etcd-main-1" },
		"another claim":         func(pod *corev1.Pod) { pod.Spec.Volumes[0].PersistentVolumeClaim.ClaimName = "other" },
		"a path of the machine": func(pod *corev1.Pod) {
			pod.Spec.Volumes[1].VolumeSource = corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}
		},
		"a Secret as its token": func(pod *corev1.Pod) {
			pod.Spec.Volumes[3].Projected.Sources[1] = corev1.VolumeProjection{Secret: &corev1.SecretProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "x"}}}
		},
		"a token for others":    func(pod *corev1.Pod) { pod.Spec.Volumes[3].Projected.Sources[0].ServiceAccountToken.Audience = "x" },
		"its token elsewhere":   container(func(c *corev1.Container) { c.VolumeMounts[3].MountPath = "/pki" }),
		"a part of its token":   container(func(c *corev1.Container) { c.VolumeMounts[3].SubPath = "token" }),
		"another image":         container(func(c *corev1.Container) { c.Image = "gardener:v2" }),
		"a command":             container(func(c *corev1.Container) { c.Command = []string{"/gardener"} }),
		"one argument more":     container(func(c *corev1.Container) { c.Args = append(c.Args, "--v=1") }),
		"another directory":     container(func(c *corev1.Container) { c.WorkingDir = "/data" }),
		"another variable":      container(func(c *corev1.Container) { c.Env[1].Value = "1" }),
		"a variable of a label": container(func(c *corev1.Container) { c.Env[0].ValueFrom.FieldRef.FieldPath = "metadata.labels['a']" }),
		"variables of a Secret": container(func(c *corev1.Container) { c.EnvFrom = []corev1.EnvFromSource{{SecretRef: &corev1.SecretEnvSource{}}} }),
		"another mount":         container(func(c *corev1.Container) { c.VolumeMounts[0].MountPath = "/pki" }),
		"a part of a volume":    container(func(c *corev1.Container) { c.VolumeMounts[0].SubPath = "a" }),
		"one port more":         container(func(c *corev1.Container) { c.Ports = append(c.Ports, corev1.ContainerPort{ContainerPort: 22}) }),
		"another probe":         container(func(c *corev1.Container) { c.ReadinessProbe.HTTPGet.Host = "10.0.0.1" }),
		"a probe that executes": container(func(c *corev1.Container) {
			c.ReadinessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{}}}
		}),
		"a hook":              container(func(c *corev1.Container) { c.Lifecycle = &corev1.Lifecycle{PostStart: &corev1.LifecycleHandler{}} }),
		"a message elsewhere": container(func(c *corev1.Container) { c.TerminationMessagePath = "/etc/hosts" }),
		"an input":            container(func(c *corev1.Container) { c.Stdin = true }),
		"a broken signature":  func(pod *corev1.Pod) { pod.Annotations[Annotation] = "?" },
		"a short signature":   func(pod *corev1.Pod) { pod.Annotations[Annotation] = "AAAA" },
	} {
		t.Run("APP-19 a pod with "+name, func(t *testing.T) {
			pod := admitted(t, signer)
			change(pod)
			if err := signer.Verifier().Verify(pod); !errors.Is(err, ErrChanged) {
				t.Errorf("got %v, want %v", err, ErrChanged)
			}
		})
	}
	t.Run("APP-19 a pod without a signature", func(t *testing.T) {
		pod := admitted(t, signer)
		delete(pod.Annotations, Annotation)
		if err := signer.Verifier().Verify(pod); !errors.Is(err, ErrUnsigned) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("APP-19 a pod of another landscape", func(t *testing.T) {
		if err := newSigner(t).Verifier().Verify(admitted(t, signer)); !errors.Is(err, ErrChanged) {
			t.Errorf("got %v", err)
		}
	})
}

func TestNobodySignsWhatUsersChoose(t *testing.T) {
	set := built()
	set.Spec.Template.Spec.Containers[0].Env[0].ValueFrom.FieldRef.FieldPath = "metadata.annotations['a']"
	if err := newSigner(t).Object(set); err == nil {
		t.Error("a variable with the value of an annotation is signed")
	}
}

func TestNoSignerSignsNothing(t *testing.T) {
	set := built()
	if err := (*Signer)(nil).Object(set); err != nil || set.Spec.Template.Annotations != nil {
		t.Errorf("got %v, annotations %v", err, set.Spec.Template.Annotations)
	}
}
