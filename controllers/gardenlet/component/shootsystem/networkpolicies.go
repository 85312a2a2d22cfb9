package shootsystem

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// policyPrefix begins the names of policies, so that users recognise their owner.
const policyPrefix = "gardener.cloud--"

// NetworkPolicies builds the policies that allow traffic of system components in kube-system by their labels, in case
// that users deny other traffic. tunnel selects the pods of the end of the tunnel. nodes are the ranges of nodes, whose
// addresses pods in the host network have.
func NetworkPolicies(tunnel map[string]string, nodes ...string) []client.Object {
	nameServer := metav1.LabelSelector{MatchLabels: map[string]string{"k8s-app": "kube-dns"}}
	fromTunnel := []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{MatchLabels: tunnel}}}
	for _, cidr := range nodes {
		fromTunnel = append(fromTunnel, networkingv1.NetworkPolicyPeer{IPBlock: &networkingv1.IPBlock{CIDR: cidr}})
	}
	dns := append(ports(corev1.ProtocolUDP, 53, 8053), ports(corev1.ProtocolTCP, 53, 8053)...)
	everywhere := []networkingv1.NetworkPolicyEgressRule{{}}
	return []client.Object{
		policy("allow-dns", "Queries to the name servers, and theirs to the ones above.", nameServer, networkingv1.NetworkPolicySpec{
			Ingress: []networkingv1.NetworkPolicyIngressRule{{Ports: dns}}, Egress: []networkingv1.NetworkPolicyEgressRule{{Ports: dns}},
		}),
		policy("allow-from-seed", "Traffic from the control plane, through the tunnel.", labelled(constants.LabelNetworkPolicyShootFromSeed),
			networkingv1.NetworkPolicySpec{Ingress: []networkingv1.NetworkPolicyIngressRule{{From: fromTunnel}}}),
		policy("allow-to-dns", "Queries to name servers.", labelled(constants.LabelNetworkPolicyToDNS), to(dns)),
		policy("allow-to-apiserver", "Traffic to the API server.", labelled(constants.LabelNetworkPolicyShootToAPIServer),
			to(ports(corev1.ProtocolTCP, 443, names.APIServerPort))),
		policy("allow-to-kubelet", "Traffic to kubelets.", labelled(constants.LabelNetworkPolicyShootToKubelet), to(ports(corev1.ProtocolTCP, 10250))),
		policy("allow-to-public-networks", "Traffic to anywhere.", labelled(constants.LabelNetworkPolicyToPublicNetworks), networkingv1.NetworkPolicySpec{Egress: everywhere}),
		policy("allow-vpn", "Traffic of the tunnel to the seed and into the cluster.", metav1.LabelSelector{MatchLabels: tunnel}, networkingv1.NetworkPolicySpec{Egress: everywhere}),
	}
}

// policy restricts only the directions that it has rules for.
func policy(name, description string, pods metav1.LabelSelector, spec networkingv1.NetworkPolicySpec) *networkingv1.NetworkPolicy {
	spec.PodSelector = pods
	if spec.Ingress != nil {
		spec.PolicyTypes = append(spec.PolicyTypes, networkingv1.PolicyTypeIngress)
	}
	if spec.Egress != nil {
		spec.PolicyTypes = append(spec.PolicyTypes, networkingv1.PolicyTypeEgress)
	}
	return &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: metav1.NamespaceSystem, Name: policyPrefix + name,
			Annotations: map[string]string{"gardener.cloud/description": description},
		},
		Spec: spec,
	}
}

func labelled(label string) metav1.LabelSelector {
	return metav1.LabelSelector{MatchLabels: names.Allowed(label)}
}

func to(ports []networkingv1.NetworkPolicyPort) networkingv1.NetworkPolicySpec {
	return networkingv1.NetworkPolicySpec{Egress: []networkingv1.NetworkPolicyEgressRule{{Ports: ports}}}
}

func ports(protocol corev1.Protocol, numbers ...int32) []networkingv1.NetworkPolicyPort {
	var out []networkingv1.NetworkPolicyPort
	for _, number := range numbers {
		out = append(out, networkingv1.NetworkPolicyPort{Protocol: ptr.To(protocol), Port: ptr.To(intstr.FromInt32(number))})
	}
	return out
}
