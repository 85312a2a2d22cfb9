package nodelocaldns

import (
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// daemonSet is a critical component: a node without its cache resolves no names, so no other pods start there before
// it.
func (v Values) daemonSet(config, image string) *appsv1.DaemonSet {
	own := labels.Merge(selector(), map[string]string{
		constants.GardenRole: constants.GardenRoleSystemComponent, "origin": "gardener", constants.LabelNodeCriticalComponent: "true",
	})
	return &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: Name, Namespace: metav1.NamespaceSystem, Labels: own},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: selector()}, RevisionHistoryLimit: ptr.To[int32](2),
			UpdateStrategy: appsv1.DaemonSetUpdateStrategy{
				Type:          appsv1.RollingUpdateDaemonSetStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxUnavailable: ptr.To(intstr.FromString("10%"))},
			},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels:      labels.Merge(own, names.Allowed(constants.LabelNetworkPolicyToDNS)),
					Annotations: map[string]string{"prometheus.io/port": strconv.Itoa(portMetrics), "prometheus.io/scrape": "true"},
				},
				Spec: v.podSpec(config, image),
			},
		},
	}
}

func (v Values) podSpec(config, image string) corev1.PodSpec {
	file := corev1.HostPathFileOrCreate
	return corev1.PodSpec{
		ServiceAccountName: Name, PriorityClassName: "system-node-critical", HostNetwork: true, DNSPolicy: corev1.DNSDefault,
		NodeSelector: map[string]string{constants.LabelNodeLocalDNS: "true"},
		Tolerations: []corev1.Toleration{
			{Key: "CriticalAddonsOnly", Operator: corev1.TolerationOpExists},
			{Effect: corev1.TaintEffectNoSchedule, Operator: corev1.TolerationOpExists},
			{Effect: corev1.TaintEffectNoExecute, Operator: corev1.TolerationOpExists},
		},
		Containers: []corev1.Container{{
			Name: "node-cache", Image: image,
			Args: []string{
				"-localip", strings.Join(v.addresses(), ","),
				"-conf", "/etc/Corefile",
				"-upstreamsvc", UpstreamService,
				"-health-port", strconv.Itoa(portHealth),
			},
			SecurityContext: &corev1.SecurityContext{Capabilities: &corev1.Capabilities{Add: []corev1.Capability{"NET_ADMIN"}}},
			Ports: []corev1.ContainerPort{
				{Name: "dns", ContainerPort: portDNS, Protocol: corev1.ProtocolUDP},
				{Name: "dns-tcp", ContainerPort: portDNS, Protocol: corev1.ProtocolTCP},
				{Name: "metrics", ContainerPort: portMetrics, Protocol: corev1.ProtocolTCP},
				{Name: "errormetrics", ContainerPort: portErrors, Protocol: corev1.ProtocolTCP},
			},
			LivenessProbe: &corev1.Probe{
				ProbeHandler:        corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Host: Address, Path: "/health", Port: intstr.FromInt32(portHealth), Scheme: corev1.URISchemeHTTP}},
				InitialDelaySeconds: 60, TimeoutSeconds: 5, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3,
			},
			Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("25m"), corev1.ResourceMemory: resource.MustParse("25Mi")},
				Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("200Mi")},
			},
			VolumeMounts: []corev1.VolumeMount{
				{Name: "xtables-lock", MountPath: "/run/xtables.lock"},
				{Name: "kube-dns-config", MountPath: "/etc/kube-dns"},
				{Name: "config-volume", MountPath: "/etc/coredns"},
			},
		}},
		Volumes: []corev1.Volume{
			{Name: "xtables-lock", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/run/xtables.lock", Type: &file}}},
			{Name: "kube-dns-config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: "kube-dns"}, Optional: ptr.To(true),
			}}},
			{Name: "config-volume", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: config}, Items: []corev1.KeyToPath{{Key: "Corefile", Path: corefileBase}},
			}}},
		},
	}
}
