// Package coredns builds the DNS server inside a shoot. The resource manager of the shoot applies it.
package coredns

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Resource is the name of the ManagedResource.
const Resource = "shoot-core-coredns"

// Name of the Deployment.
const Name = "coredns"

const (
	name    = Name
	public  = "registry.k8s.io/coredns/coredns:v1.12.1"
	port    = 8053
	metrics = 9153
)

// Values are the inputs for the objects.
type Values struct {
	// ClusterIP of the Service kube-dns.
	ClusterIP string
	// CommonSuffixes are domains whose names are not first looked up inside the cluster.
	CommonSuffixes []string
	// Image; the default is the public one.
	Image string
	// Annotations of the pods.
	Annotations map[string]string
}

// Objects builds all of it.
func Objects(v Values) []client.Object {
	meta := metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceSystem}
	cluster := metav1.ObjectMeta{Name: "system:coredns"}
	return []client.Object{
		&corev1.ServiceAccount{ObjectMeta: meta},
		&rbacv1.ClusterRole{ObjectMeta: cluster, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"endpoints", "services", "pods", "namespaces"}, Verbs: []string{"list", "watch"}},
			{APIGroups: []string{"discovery.k8s.io"}, Resources: []string{"endpointslices"}, Verbs: []string{"list", "watch"}},
		}},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: cluster,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: cluster.Name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: metav1.NamespaceSystem}},
		},
		&corev1.ConfigMap{ObjectMeta: meta, Data: map[string]string{"Corefile": corefile(v)}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			Name: "coredns-custom", Namespace: metav1.NamespaceSystem,
			// Users put their own server blocks here.
			Annotations: map[string]string{"resources.gardener.cloud/ignore": "true"},
		}, Data: map[string]string{"changeme.server": "# checkout the docs on how to use: https://coredns.io/manual/configuration/", "changeme.override": "# likewise"}},
		service(v),
		deployment(cmp.Or(v.Image, public), v.Annotations),
	}
}

func corefile(v Values) string {
	var rewrites strings.Builder
	for _, suffix := range v.CommonSuffixes {
		suffix = strings.TrimPrefix(suffix, ".")
		fmt.Fprintf(&rewrites, "  rewrite stop {\n    name regex (.*)\\.%[1]s\\.svc\\.%[2]s {1}.%[1]s\n    answer auto\n  }\n",
			strings.ReplaceAll(suffix, ".", `\.`), strings.ReplaceAll(names.ClusterDomain, ".", `\.`))
	}
	return fmt.Sprintf(`.:%d {
  errors
  health {
    lameduck 15s
  }
  ready
%s  kubernetes %s in-addr.arpa ip6.arpa {
    pods insecure
    fallthrough in-addr.arpa ip6.arpa
    ttl 30
  }
  prometheus :%d
  forward . /etc/resolv.conf
  cache 30
  loop
  reload
  loadbalance round_robin
  import custom/*.override
}
import custom/*.server
`, port, rewrites.String(), names.ClusterDomain, metrics)
}

func service(v Values) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "kube-dns", Namespace: metav1.NamespaceSystem, Labels: map[string]string{"k8s-app": "kube-dns", "kubernetes.io/cluster-service": "true", "kubernetes.io/name": "CoreDNS"}},
		Spec: corev1.ServiceSpec{
			ClusterIP: v.ClusterIP,
			Selector:  map[string]string{"k8s-app": "kube-dns"},
			Ports: []corev1.ServicePort{
				{Name: "dns", Port: 53, Protocol: corev1.ProtocolUDP, TargetPort: intstr.FromInt32(port)},
				{Name: "dns-tcp", Port: 53, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(port)},
				{Name: "metrics", Port: metrics, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(metrics)},
			},
		},
	}
}

func deployment(image string, annotations map[string]string) *appsv1.Deployment {
	labels := map[string]string{"k8s-app": "kube-dns"}
	podLabels := map[string]string{"k8s-app": "kube-dns", constants.GardenRole: constants.GardenRoleSystemComponent, "origin": "gardener"}
	maps.Copy(podLabels, names.Allowed(constants.LabelNetworkPolicyToDNS, constants.LabelNetworkPolicyShootToAPIServer, constants.LabelNetworkPolicyShootFromSeed))
	probe := func(path string, port int32) *corev1.Probe {
		return &corev1.Probe{
			ProbeHandler:  corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromInt32(port), Scheme: corev1.URISchemeHTTP}},
			PeriodSeconds: 5, TimeoutSeconds: 5, SuccessThreshold: 1, FailureThreshold: 5,
		}
	}
	live := probe("/health", 8080)
	live.InitialDelaySeconds = 60
	ownLabels := maps.Clone(podLabels)
	ownLabels[resourcesv1alpha1.HighAvailabilityConfigType] = resourcesv1alpha1.HighAvailabilityConfigTypeServer
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceSystem, Labels: ownLabels},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To[int32](2), RevisionHistoryLimit: ptr.To[int32](1),
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{
				MaxSurge: ptr.To(intstr.FromInt32(1)), MaxUnavailable: ptr.To(intstr.FromInt32(0)),
			}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: podLabels, Annotations: annotations},
				Spec: corev1.PodSpec{
					ServiceAccountName: name, PriorityClassName: "system-cluster-critical", DNSPolicy: corev1.DNSDefault,
					NodeSelector: map[string]string{constants.LabelWorkerPoolSystemComponents: "true"},
					Tolerations:  []corev1.Toleration{{Key: "CriticalAddonsOnly", Operator: corev1.TolerationOpExists}},
					Containers: []corev1.Container{{
						Name: name, Image: image, Args: []string{"-conf", "/etc/coredns/Corefile"},
						Ports:          []corev1.ContainerPort{{Name: "dns-udp", ContainerPort: port, Protocol: corev1.ProtocolUDP}, {Name: "dns-tcp", ContainerPort: port, Protocol: corev1.ProtocolTCP}, {Name: "metrics", ContainerPort: metrics, Protocol: corev1.ProtocolTCP}},
						ReadinessProbe: probe("/ready", 8181), LivenessProbe: live,
						Resources: corev1.ResourceRequirements{
							Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("50m"), corev1.ResourceMemory: resource.MustParse("15Mi")},
							Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1500Mi")},
						},
						VolumeMounts: []corev1.VolumeMount{{Name: "config", MountPath: "/etc/coredns"}, {Name: "custom", MountPath: "/etc/coredns/custom"}},
					}},
					Volumes: []corev1.Volume{
						{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}}}},
						{Name: "custom", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "coredns-custom"}, Optional: ptr.To(true)}}},
					},
				},
			},
		},
	}
}
