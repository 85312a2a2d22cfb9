package containerruntime

import (
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/containerruntime/install"
)

// nodeLabel is the label of nodes that have the runtime.
func nodeLabel(runtimeType string) map[string]string {
	return map[string]string{constants.LabelPrefixContainerRuntimeWorker + runtimeType: "true"}
}

// runtimeClass lets pods choose the runtime. It schedules them to nodes that have it.
func runtimeClass(runtimeType string, d definition) client.Object {
	return &nodev1.RuntimeClass{
		TypeMeta: metav1.TypeMeta{APIVersion: "node.k8s.io/v1", Kind: "RuntimeClass"}, ObjectMeta: metav1.ObjectMeta{Name: d.class},
		Handler: d.handler, Scheduling: &nodev1.Scheduling{NodeSelector: nodeLabel(runtimeType)},
	}
}

// installer runs on each node of the pool. It needs all rights there, because it changes system files and restarts
// containerd.
func installer(runtime *extensionsv1alpha1.ContainerRuntime, d definition, image string) client.Object {
	name := "runtime-" + runtime.Name
	labels := map[string]string{"app": name}
	meta := metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceSystem, Labels: map[string]string{
		"app": name, constants.GardenRole: constants.GardenRoleSystemComponent, "origin": "gardener",
	}}
	nodes := nodeLabel(runtime.Spec.Type)
	maps.Copy(nodes, runtime.Spec.WorkerPool.Selector.MatchLabels)
	const host, port = "/host", 8080
	return &appsv1.DaemonSet{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "DaemonSet"}, ObjectMeta: meta,
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels}, RevisionHistoryLimit: ptr.To[int32](1),
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: meta.Labels}, Spec: corev1.PodSpec{
				NodeSelector: nodes, PriorityClassName: "system-node-critical", AutomountServiceAccountToken: ptr.To(false),
				EnableServiceLinks: ptr.To(false), TerminationGracePeriodSeconds: ptr.To[int64](5),
				HostPID:     true, // systemd must be able to identify the caller
				Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
				Volumes:     []corev1.Volume{{Name: "host", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}}},
				Containers: []corev1.Container{{
					Name: install.Name, Image: image, ImagePullPolicy: corev1.PullIfNotPresent, WorkingDir: "/",
					Args: slices.Concat([]string{"component", install.Name}, install.Options{
						Root: host, Handler: d.handler, BinaryPath: runtime.Spec.BinaryPath, BindAddress: ":8080",
					}.Args()),
					VolumeMounts:    []corev1.VolumeMount{{Name: "host", MountPath: host}},
					SecurityContext: &corev1.SecurityContext{Privileged: ptr.To(true)},
					ReadinessProbe: &corev1.Probe{
						ProbeHandler:  corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(port)}},
						PeriodSeconds: 5, TimeoutSeconds: 5,
					},
					Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("5m"), corev1.ResourceMemory: resource.MustParse("16Mi")}},
				}},
			}},
		},
	}
}
