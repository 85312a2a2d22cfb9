// Package frontdoor builds the front doors of a seed: pods in the host network that route TLS connections by server
// name to the API servers of shoots. They have the namespace and the labels of the ingress gateway that they replace.
package frontdoor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// clusterRole grants the permissions of all gateways of a seed.
const clusterRole = "gardener.cloud:front-door"

// Objects builds all of it.
func (g Gateway) Objects() []client.Object {
	meta := metav1.ObjectMeta{Namespace: g.Namespace, Name: g.Name, Labels: g.labels()}
	namespace := g.namespaceLabels()
	namespace["pod-security.kubernetes.io/enforce"] = "privileged"
	return []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: g.Namespace, Labels: namespace}},
		&corev1.ServiceAccount{ObjectMeta: meta},
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: clusterRole, Labels: usualLabels()}, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{"networking.istio.io"}, Resources: []string{"gateways", "virtualservices"}, Verbs: []string{"get", "list", "watch"}},
			{APIGroups: []string{""}, Resources: []string{"services"}, Verbs: []string{"get", "list", "watch"}},
			{APIGroups: []string{"discovery.k8s.io"}, Resources: []string{"endpointslices"}, Verbs: []string{"get", "list", "watch"}},
		}},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: g.global(), Labels: g.labels()},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: clusterRole},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: g.Namespace, Name: g.Name}},
		},
		g.daemonSet(meta),
	}
}

// Ready returns an error that says what the gateway still lacks, or nil.
func (g Gateway) Ready(ctx context.Context, c client.Client) error {
	set := &appsv1.DaemonSet{}
	if err := c.Get(ctx, client.ObjectKey{Namespace: g.Namespace, Name: g.Name}, set); err != nil {
		return fmt.Errorf("read daemon set of the front door: %w", err)
	}
	if set.Status.ObservedGeneration < set.Generation || set.Status.NumberReady == 0 || set.Status.UpdatedNumberScheduled < set.Status.DesiredNumberScheduled {
		return fmt.Errorf("%d of %d pods of the front door (%s/%s) are ready", set.Status.NumberReady, set.Status.DesiredNumberScheduled, g.Namespace, g.Name)
	}
	return nil
}

// args returns the flags of the component.
func (g Gateway) args() []string {
	args := []string{
		"component", "front-door", fmt.Sprintf("--bind-address=:%d", g.Ports.TLS),
		fmt.Sprintf("--proxy-protocol-address=:%d", g.Ports.Proxy), fmt.Sprintf("--tunnel-address=:%d", g.Ports.Tunnel),
	}
	var selector []string
	for _, key := range slices.Sorted(maps.Keys(g.Selector)) {
		selector = append(selector, key+"="+g.Selector[key])
	}
	if len(selector) > 0 {
		args = append(args, "--gateway-selector="+strings.Join(selector, ","))
	}
	if g.Handler != "" { // clients that use the Service names of API servers, such as the gardenlet, use the default gateway
		args = append(args, "--service-names=false")
	}
	return args
}

// daemonSet uses the host network of every node, so that the addresses of nodes are those of the front door. The ports
// of a node are free only after the previous pod has ended.
func (g Gateway) daemonSet(meta metav1.ObjectMeta) *appsv1.DaemonSet {
	return &appsv1.DaemonSet{
		ObjectMeta: meta,
		Spec: appsv1.DaemonSetSpec{
			Selector:             &metav1.LabelSelector{MatchLabels: g.podSelector()},
			RevisionHistoryLimit: ptr.To[int32](1),
			UpdateStrategy: appsv1.DaemonSetUpdateStrategy{
				Type: appsv1.RollingUpdateDaemonSetStrategyType, RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxUnavailable: ptr.To(intstr.FromInt32(1))},
			},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: g.labels()},
				Spec: corev1.PodSpec{
					HostNetwork: true, DNSPolicy: corev1.DNSClusterFirstWithHostNet,
					ServiceAccountName: g.Name, PriorityClassName: constants.PriorityClassNameSeedSystemCritical,
					TerminationGracePeriodSeconds: ptr.To[int64](5),
					Tolerations:                   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
					Containers: []corev1.Container{{
						Name: "front-door", Image: g.Image, ImagePullPolicy: corev1.PullIfNotPresent, WorkingDir: "/",
						Args:  g.args(),
						Ports: []corev1.ContainerPort{port("tls", g.Ports.TLS), port("proxy", g.Ports.Proxy), port("tls-tunnel", g.Ports.Tunnel)},
						ReadinessProbe: &corev1.Probe{
							ProbeHandler:  corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(g.Ports.TLS)}},
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
