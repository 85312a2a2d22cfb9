package etcd

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// defaultStorage is the default size of volumes.
const defaultStorage = "16Gi"

// statefulSet is the StatefulSet of the etcd. Immutable fields are taken from current, which may be nil.
func statefulSet(etcd *druidv1alpha1.Etcd, image string, begin bootstrap, backup backups, current *appsv1.StatefulSet) *appsv1.StatefulSet {
	set := &appsv1.StatefulSet{
		ObjectMeta: meta(etcd, etcd.Name),
		Spec: appsv1.StatefulSetSpec{
			Replicas:    ptr.To(etcd.Spec.Replicas),
			Selector:    &metav1.LabelSelector{MatchLabels: selectorLabels(etcd)},
			ServiceName: peerServiceName(etcd),
			// Members of a new cluster become ready only together.
			PodManagementPolicy: appsv1.ParallelPodManagement,
			UpdateStrategy:      updateStrategy(etcd.Spec.Replicas),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: podLabels(etcd), Annotations: etcd.Spec.Annotations},
				Spec:       podSpec(etcd, image, begin, backup, current),
			},
			VolumeClaimTemplates: []corev1.PersistentVolumeClaim{volumeClaim(etcd)},
		},
	}
	if current != nil {
		set.Spec.Selector = current.Spec.Selector
		keepVolumeClaims(set, current)
	}
	return set
}

func podSpec(etcd *druidv1alpha1.Etcd, image string, begin bootstrap, backup backups, current *appsv1.StatefulSet) corev1.PodSpec {
	return corev1.PodSpec{
		ServiceAccountName:           etcd.Name,
		AutomountServiceAccountToken: ptr.To(true),
		ShareProcessNamespace:        ptr.To(true), // as clients of etcd-druid know it
		PriorityClassName:            ptr.Deref(etcd.Spec.PriorityClassName, ""),
		Affinity:                     etcd.Spec.SchedulingConstraints.Affinity,
		TopologySpreadConstraints:    etcd.Spec.SchedulingConstraints.TopologySpreadConstraints,
		Containers: []corev1.Container{{
			Name:            "etcd",
			Image:           ptr.Deref(etcd.Spec.Etcd.Image, image),
			ImagePullPolicy: corev1.PullIfNotPresent,
			Args:            append(backup.command(etcd, begin), args(etcd, current)...),
			WorkingDir:      "/",
			Env: []corev1.EnvVar{
				fieldEnv("POD_NAME", "metadata.name"),
				fieldEnv("POD_IP", "status.podIP"),
			},
			Ports: []corev1.ContainerPort{
				{Name: "client", Protocol: corev1.ProtocolTCP, ContainerPort: clientPort(etcd)},
				{Name: "peer", Protocol: corev1.ProtocolTCP, ContainerPort: peerPort(etcd)},
				{Name: "metrics", Protocol: corev1.ProtocolTCP, ContainerPort: metricsPort},
				{Name: "backup", Protocol: corev1.ProtocolTCP, ContainerPort: backupPort(etcd)},
			},
			Resources:      ptr.Deref(etcd.Spec.Etcd.Resources, corev1.ResourceRequirements{}),
			StartupProbe:   startupProbe(etcd),
			ReadinessProbe: readinessProbe(etcd),
			VolumeMounts:   mounts(etcd, backup),
		}},
		Volumes: volumes(etcd, backup),
	}
}

// startupProbe asks every second until the member is up: the other probe asks rarely, because many idle etcds share a machine. It
// waits long, because killing a restoration would begin it again. It does not wait for a majority: killing a member does not bring the
// others back.
func startupProbe(etcd *druidv1alpha1.Etcd) *corev1.Probe {
	const restoration = 3600 // seconds
	return probe(etcd, "/healthz?serializable=true", 1, restoration)
}

// readinessProbe asks whether the member serves clients. The backup server knows when it must not, because it lost its owner.
func readinessProbe(etcd *druidv1alpha1.Etcd) *corev1.Probe { return probe(etcd, "/healthz", 5, 3) }

// probe asks the backup server, which needs no client certificate for this.
func probe(etcd *druidv1alpha1.Etcd, path string, period, failures int32) *corev1.Probe {
	scheme := corev1.URISchemeHTTP
	if etcd.Spec.Backup.TLS != nil {
		scheme = corev1.URISchemeHTTPS
	}
	return &corev1.Probe{
		ProbeHandler:     corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromInt32(backupPort(etcd)), Scheme: scheme}},
		PeriodSeconds:    period,
		FailureThreshold: failures,
		TimeoutSeconds:   5,
		SuccessThreshold: 1,
	}
}

func fieldEnv(name, path string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: path}}}
}

// volumeClaimName is the name of the template. The claims are named <template>-<pod>.
func volumeClaimName(etcd *druidv1alpha1.Etcd) string {
	return ptr.Deref(etcd.Spec.VolumeClaimTemplate, etcd.Name)
}

func volumeClaim(etcd *druidv1alpha1.Etcd) corev1.PersistentVolumeClaim {
	size := resource.MustParse(defaultStorage)
	if etcd.Spec.StorageCapacity != nil {
		size = *etcd.Spec.StorageCapacity
	}
	claim := corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: volumeClaimName(etcd)},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: size}},
		},
	}
	if class := etcd.Spec.StorageClass; class != nil && *class != "" {
		claim.Spec.StorageClassName = class
	}
	return claim
}

// keepVolumeClaims keeps size and class of the claims, which a StatefulSet cannot change, and the volume's name with them.
func keepVolumeClaims(set, current *appsv1.StatefulSet) {
	if len(current.Spec.VolumeClaimTemplates) != 1 {
		return
	}
	was := current.Spec.VolumeClaimTemplates[0]
	claim := &set.Spec.VolumeClaimTemplates[0]
	mounts := set.Spec.Template.Spec.Containers[0].VolumeMounts
	for i := range mounts {
		if mounts[i].Name == claim.Name {
			mounts[i].Name = was.Name
		}
	}
	claim.Name = was.Name
	claim.Spec.StorageClassName = was.Spec.StorageClassName
	claim.Spec.Resources = was.Spec.Resources
}
