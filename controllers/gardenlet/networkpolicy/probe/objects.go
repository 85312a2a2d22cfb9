package probe

import (
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// Namespace of the pods; it is used for nothing else.
	Namespace = "gardener-network-probe"
	// open is allowed to connect, so its success shows that the network works; closed is not allowed to connect.
	open, closed = "open", "closed"

	label = "networking.gardener.cloud/probe"
	// dialFor is how long a network gets to apply the policy.
	dialFor = 10 * time.Second
)

// setting returns the namespace and the policy.
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

// pod dials the name server of the cluster. Every cluster has one, and it is not in the host network: policies may have
// no effect between a pod and its node.
func pod(name, image, server string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: name, Labels: map[string]string{label: name}},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, AutomountServiceAccountToken: ptr.To(false), EnableServiceLinks: ptr.To(false),
			TerminationGracePeriodSeconds: ptr.To[int64](1), Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			Containers: []corev1.Container{{
				Name: "probe", Image: image, ImagePullPolicy: corev1.PullIfNotPresent, WorkingDir: "/",
				Args: []string{"component", Name, "--address=" + net.JoinHostPort(server, "53"), "--for=" + dialFor.String()},
			}},
		},
	}
}
