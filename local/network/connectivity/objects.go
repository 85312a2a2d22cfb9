package connectivity

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const (
	// Port of the pods.
	Port = 8080
	// ServicePort is the port of the Service that pods try. The pods of CoreDNS are behind it: every Shoot has them, and the address of
	// their own Service may be taken by a cache on each node.
	ServicePort = 53
	// NamePort is the name of the port of CoreDNS for TCP.
	NamePort = "dns-tcp"
)

// Selector are the labels of the pods.
func Selector() map[string]string { return map[string]string{"app": Name} }

// NameServers are the labels of the pods of CoreDNS.
func NameServers() map[string]string { return map[string]string{"k8s-app": "kube-dns"} }

// Objects are a pod on each node, the Service that they try, and the policy for them, in case that users close the namespace.
func Objects(image string) []client.Object {
	meta := metav1.ObjectMeta{Name: Name, Namespace: metav1.NamespaceSystem, Labels: map[string]string{
		"app": Name, constants.GardenRole: constants.GardenRoleSystemComponent, "origin": "gardener",
	}}
	return []client.Object{daemonSet(meta, image), service(meta), policy(meta)}
}

func daemonSet(meta metav1.ObjectMeta, image string) client.Object {
	labels := maps.Clone(meta.Labels)
	for _, label := range []string{constants.LabelNetworkPolicyShootFromSeed, constants.LabelNetworkPolicyToDNS} {
		labels[label] = constants.LabelNetworkPolicyAllowed
	}
	return &appsv1.DaemonSet{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "DaemonSet"}, ObjectMeta: meta,
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: Selector()}, RevisionHistoryLimit: ptr.To[int32](1),
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
				PriorityClassName: "system-node-critical", AutomountServiceAccountToken: ptr.To(false), EnableServiceLinks: ptr.To(false),
				TerminationGracePeriodSeconds: ptr.To[int64](1),
				Tolerations:                   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
				Containers: []corev1.Container{{
					Name: Name, Image: image, ImagePullPolicy: corev1.PullIfNotPresent, WorkingDir: "/",
					Args:  []string{"component", Name},
					Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: Port, Protocol: corev1.ProtocolTCP}},
					ReadinessProbe: &corev1.Probe{
						ProbeHandler:  corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(Port)}},
						PeriodSeconds: 5, TimeoutSeconds: 5,
					},
					Resources:       corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("5m"), corev1.ResourceMemory: resource.MustParse("16Mi")}},
					SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: ptr.To(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
				}},
			}},
		},
	}
}

func service(meta metav1.ObjectMeta) client.Object {
	return &corev1.Service{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: meta,
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeClusterIP, Selector: NameServers(),
			Ports: []corev1.ServicePort{{Name: NamePort, Port: ServicePort, TargetPort: intstr.FromString(NamePort), Protocol: corev1.ProtocolTCP}},
		},
	}
}

// policy lets the pods connect to each other. Labels let them be reached by the control plane, and reach CoreDNS.
func policy(meta metav1.ObjectMeta) client.Object {
	peers := []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{MatchLabels: Selector()}}}
	port := []networkingv1.NetworkPolicyPort{{Protocol: ptr.To(corev1.ProtocolTCP), Port: ptr.To(intstr.FromInt32(Port))}}
	return &networkingv1.NetworkPolicy{
		TypeMeta: metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"}, ObjectMeta: meta,
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: Selector()},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
			Ingress:     []networkingv1.NetworkPolicyIngressRule{{From: peers, Ports: port}},
			Egress:      []networkingv1.NetworkPolicyEgressRule{{To: peers, Ports: port}},
		},
	}
}
