// Package frontdoor builds the front door of a seed: a pod in the network of its node that routes TLS connections by server
// name to the API servers of shoots, in the namespace and with the labels of the ingress gateway whose part it takes.
package frontdoor

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/image"
)

const (
	// Namespace and Name are those of the ingress gateway.
	Namespace = "istio-ingress"
	Name      = "istio-ingressgateway"
	// TLSPort, ProxyPort and TunnelPort of the node are all that is open (PRT-1).
	TLSPort    = 443
	ProxyPort  = 8443
	TunnelPort = 8132
)

// Objects builds all of it.
func Objects() []client.Object {
	meta := metav1.ObjectMeta{Namespace: Namespace, Name: Name, Labels: labels()}
	global := metav1.ObjectMeta{Name: "gardener.cloud:front-door", Labels: labels()}
	return []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace, Labels: map[string]string{
			constants.GardenRole: Namespace, "pod-security.kubernetes.io/enforce": "privileged",
		}}},
		&corev1.ServiceAccount{ObjectMeta: meta},
		&rbacv1.ClusterRole{ObjectMeta: global, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{"networking.istio.io"}, Resources: []string{"virtualservices"}, Verbs: []string{"get", "list", "watch"}},
			{APIGroups: []string{""}, Resources: []string{"services"}, Verbs: []string{"get", "list", "watch"}},
		}},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: global,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: global.Name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: Namespace, Name: Name}},
		},
		daemonSet(meta),
	}
}

// Ready tells what the front door still lacks.
func Ready(ctx context.Context, c client.Client) error {
	set := &appsv1.DaemonSet{}
	if err := c.Get(ctx, client.ObjectKey{Namespace: Namespace, Name: Name}, set); err != nil {
		return fmt.Errorf("read daemon set of the front door: %w", err)
	}
	if set.Status.ObservedGeneration < set.Generation || set.Status.NumberReady == 0 || set.Status.UpdatedNumberScheduled < set.Status.DesiredNumberScheduled {
		return fmt.Errorf("%d of %d pods of the front door (%s/%s) are ready", set.Status.NumberReady, set.Status.DesiredNumberScheduled, Namespace, Name)
	}
	return nil
}

// daemonSet runs in the network of every node, so that the addresses of nodes are those of the front door. A node's ports
// are free only after the former pod has ended.
func daemonSet(meta metav1.ObjectMeta) *appsv1.DaemonSet {
	return &appsv1.DaemonSet{
		ObjectMeta: meta,
		Spec: appsv1.DaemonSetSpec{
			Selector:             &metav1.LabelSelector{MatchLabels: labels()},
			RevisionHistoryLimit: ptr.To[int32](1),
			UpdateStrategy: appsv1.DaemonSetUpdateStrategy{
				Type: appsv1.RollingUpdateDaemonSetStrategyType, RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxUnavailable: ptr.To(intstr.FromInt32(1))},
			},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels()},
				Spec: corev1.PodSpec{
					HostNetwork: true, DNSPolicy: corev1.DNSClusterFirstWithHostNet,
					ServiceAccountName: Name, PriorityClassName: constants.PriorityClassNameSeedSystemCritical,
					TerminationGracePeriodSeconds: ptr.To[int64](5),
					Tolerations:                   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
					Containers: []corev1.Container{{
						Name: "front-door", Image: image.Reference(), ImagePullPolicy: corev1.PullIfNotPresent, WorkingDir: "/",
						Args: []string{
							"component", "front-door", fmt.Sprintf("--bind-address=:%d", TLSPort),
							fmt.Sprintf("--proxy-protocol-address=:%d", ProxyPort), fmt.Sprintf("--tunnel-address=:%d", TunnelPort),
						},
						Ports: []corev1.ContainerPort{port("tls", TLSPort), port("proxy", ProxyPort), port("tls-tunnel", TunnelPort)},
						ReadinessProbe: &corev1.Probe{
							ProbeHandler:  corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(TLSPort)}},
							PeriodSeconds: 2, FailureThreshold: 3,
						},
					}},
				},
			},
		},
	}
}

func port(name string, number int32) corev1.ContainerPort {
	return corev1.ContainerPort{Name: name, ContainerPort: number, HostPort: number, Protocol: corev1.ProtocolTCP}
}

func labels() map[string]string { return map[string]string{"app": Name, "istio": "ingressgateway"} }
