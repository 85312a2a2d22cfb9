package probe

import (
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/image"
)

const (
	// Namespace of the pods, which has no other use.
	Namespace = "gardener-network-probe"
	// open may connect, and so means that there is a network at all; closed may not.
	open, closed = "open", "closed"

	label = "networking.gardener.cloud/probe"
	// dialFor is how long a network gets to take notice of the policy.
	dialFor = 10 * time.Second
)

// setting is the namespace and the policy.
func setting() []client.Object {
	return []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}},
		&networkingv1.NetworkPolicy{
			ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: closed},
			Spec: networkingv1.NetworkPolicySpec{
				PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{label: closed}},
				PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress, networkingv1.PolicyTypeIngress},
			},
		},
	}
}

// pod dials the cluster's name server, which every cluster has and which is no pod of the host: policies need not matter
// between a pod and its node.
func pod(name, server string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: name, Labels: map[string]string{label: name}},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, AutomountServiceAccountToken: ptr.To(false), EnableServiceLinks: ptr.To(false),
			TerminationGracePeriodSeconds: ptr.To[int64](1), Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			Containers: []corev1.Container{{
				Name: "probe", Image: image.Reference(), ImagePullPolicy: corev1.PullIfNotPresent, WorkingDir: "/",
				Args: []string{"component", Name, "--address=" + net.JoinHostPort(server, "53"), "--for=" + dialFor.String()},
			}},
		},
	}
}
