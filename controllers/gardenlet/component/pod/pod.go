// Package pod builds the Deployments of the control plane of a shoot. All of them run the appliance image, listen on
// the address of their pod and use file names relative to their working directory. They therefore run both as
// containers and as processes of an embedded node. The package of each component decides what the component does.
package pod

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Spec describes a Deployment of one container.
type Spec struct {
	Name      string
	Namespace string
	// Labels select the pods; the pods also get the role of control planes.
	Labels map[string]string
	// Image is the appliance image.
	Image string
	// Component is the name for `gardener component`.
	Component string
	Args      []string
	Replicas  int32
	// Port the container listens on.
	Port int32
	// Ready and Live are the probes; either may be nil.
	Ready, Live    *corev1.Probe
	Mounts         []Mount
	ServiceAccount string
	PriorityClass  string
	// Annotations of the pods.
	Annotations map[string]string
	// Restarted means that maintenance restarts the pods.
	Restarted bool
	// Mutated means that the provider's webhook may change the Deployment.
	Mutated bool
	// Reaches are the labels by which network policies allow connections of the pods. If policies are enforced, all
	// other connections are denied.
	Reaches []string
}

// Mount projects secrets or config maps into a directory of the container.
type Mount struct {
	// Path is absolute.
	Path string
	// Secrets and ConfigMaps share the directory; their keys must not collide.
	Secrets, ConfigMaps []string
	// EmptyDir makes the mount a writable directory instead.
	EmptyDir bool
}

// File is the path of a key of a mount for the flags of components.
func File(mount, key string) string { return strings.TrimPrefix(mount, "/") + "/" + key }

// Deployment builds the object.
func Deployment(spec Spec) *appsv1.Deployment {
	labels := names.WithRole(spec.Labels)
	annotations := References(spec.Mounts)
	podAnnotations := maps.Clone(annotations)
	maps.Copy(podAnnotations, spec.Annotations)
	podLabels := maps.Clone(labels)
	maps.Copy(podLabels, names.Allowed(spec.Reaches...))
	if spec.Restarted {
		podLabels[constants.LabelMaintenanceRestart] = "true"
	}
	if spec.Mutated {
		maps.Copy(labels, names.Mutated())
	}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: spec.Name, Namespace: spec.Namespace, Labels: labels, Annotations: annotations},
		Spec: appsv1.DeploymentSpec{
			Replicas:             ptr.To(spec.Replicas),
			RevisionHistoryLimit: ptr.To[int32](1),
			Selector:             &metav1.LabelSelector{MatchLabels: spec.Labels},
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{
				MaxSurge: ptr.To(intstr.FromInt32(1)), MaxUnavailable: ptr.To(intstr.FromInt32(0)),
			}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: podLabels, Annotations: podAnnotations},
				Spec:       podSpec(spec),
			},
		},
	}
}

func podSpec(spec Spec) corev1.PodSpec {
	container := corev1.Container{
		Name:            spec.Name,
		Image:           spec.Image,
		ImagePullPolicy: corev1.PullIfNotPresent,
		Args:            append([]string{"component", spec.Component}, spec.Args...),
		WorkingDir:      "/",
		Env:             environment(),
		ReadinessProbe:  spec.Ready,
		LivenessProbe:   spec.Live,
		// Small on purpose: the sum over many control planes must fit on a laptop, and there are no guarantees anyway.
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("10m"), corev1.ResourceMemory: resource.MustParse("32Mi"),
		}},
	}
	if spec.Port != 0 {
		container.Ports = []corev1.ContainerPort{{Name: "https", ContainerPort: spec.Port, Protocol: corev1.ProtocolTCP}}
	}
	out := corev1.PodSpec{
		PriorityClassName:             spec.PriorityClass,
		ServiceAccountName:            spec.ServiceAccount,
		AutomountServiceAccountToken:  ptr.To(spec.ServiceAccount != ""),
		EnableServiceLinks:            ptr.To(false),
		TerminationGracePeriodSeconds: ptr.To[int64](10),
	}
	for i, mount := range spec.Mounts {
		name := fmt.Sprintf("%d-%s", i, strings.NewReplacer("/", "-", ".", "-").Replace(strings.Trim(mount.Path, "/")))
		container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: mount.Path})
		out.Volumes = append(out.Volumes, corev1.Volume{Name: name, VolumeSource: source(mount)})
	}
	out.Containers = []corev1.Container{container}
	return out
}

// environment is the only place that tunes the Go runtime of control planes. GOGC=25 trades some CPU for a heap that is at most a quarter
// larger than the live objects, from the start: with 100 while a process starts, the heap of an API server was so fragmented that it kept
// 25 MB more for ever. There is no GOMEMLIMIT: a limit below the live heap wastes half a core, and the size of the live heap depends on
// what users store in their clusters.
func environment() []corev1.EnvVar {
	return []corev1.EnvVar{
		{Name: "POD_IP", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "status.podIP"}}},
		{Name: "POD_NAMESPACE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}}},
		{Name: "GOGC", Value: "25"},
	}
}

func source(mount Mount) corev1.VolumeSource {
	switch {
	case mount.EmptyDir:
		return corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}
	case len(mount.Secrets) == 1 && len(mount.ConfigMaps) == 0:
		return corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: mount.Secrets[0], DefaultMode: ptr.To[int32](0o640)}}
	case len(mount.ConfigMaps) == 1 && len(mount.Secrets) == 0:
		return corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: mount.ConfigMaps[0]}, DefaultMode: ptr.To[int32](0o644)}}
	}
	projected := &corev1.ProjectedVolumeSource{DefaultMode: ptr.To[int32](0o640)}
	for _, name := range slices.Sorted(slices.Values(mount.Secrets)) {
		projected.Sources = append(projected.Sources, corev1.VolumeProjection{Secret: &corev1.SecretProjection{LocalObjectReference: corev1.LocalObjectReference{Name: name}}})
	}
	for _, name := range slices.Sorted(slices.Values(mount.ConfigMaps)) {
		projected.Sources = append(projected.Sources, corev1.VolumeProjection{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: name}}})
	}
	return corev1.VolumeSource{Projected: projected}
}
