// Package networkpolicy denies traffic in the namespaces of a seed that contain control planes and Gardener components.
// It allows what pods ask for by labels: name servers, the API server of the seed, networks. Connections between pods
// of the seed are allowed by the policies of their Services, which controllers/resourcemanager/networkpolicy writes;
// this package only passes its settings.
package networkpolicy

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// DenyAll is the name of the policy that denies all traffic in a namespace.
const DenyAll = "deny-all"

// Networks are the inputs for the policies of a namespace. Ranges that cannot be parsed are ignored.
type Networks struct {
	// Seed are the ranges of the nodes, pods and services of the seed, which are excluded from the allowed networks.
	Seed []string
	// Blocked are denied to all pods that are not allowed to reach blocked ranges.
	Blocked []string
	// Shoot are the ranges of the shoot of the namespace; empty in other namespaces.
	Shoot []string
	// APIServer lists the endpoints of the API server of the seed.
	APIServer []Endpoint
	// DNS are addresses of the name server of the seed beside those of its pods; empty ones are ignored.
	DNS []string
	// Garden is where the garden is, if that is inside of the seed. It counts as public, as it is elsewhere.
	Garden Garden
}

// Garden is a Service of the seed that leads to the garden. It is empty if there is none.
type Garden struct {
	// Address of the Service, for networks that apply policies before they translate the address.
	Address string
	// Namespace and Pods select the pods behind the Service, and Port is theirs; Pods is empty if there are no pods.
	Namespace string
	Pods      map[string]string
	Port      intstr.IntOrString
}

// Endpoint is an address and a TCP port.
type Endpoint struct {
	Address string
	Port    int32
}

// Policies returns all policies of a namespace that do not belong to a Service. The policy that denies all traffic is
// last, so that there is never a time in which nothing is allowed.
func Policies(namespace string, n Networks) []*networkingv1.NetworkPolicy {
	inside := append(append([]string{}, n.Seed...), n.Shoot...)
	policies := []*networkingv1.NetworkPolicy{
		egress(namespace, "allow-to-dns", constants.LabelNetworkPolicyToDNS,
			"Traffic to the name servers of the cluster.", dns(n.DNS...)),
		egress(namespace, "allow-to-runtime-apiserver", constants.LabelNetworkPolicyToRuntimeAPIServer,
			"Traffic to the API server of the cluster, at the addresses it has now.", apiServer(n.APIServer)...),
		egress(namespace, "allow-to-public-networks", constants.LabelNetworkPolicyToPublicNetworks,
			"Traffic to the Internet, but not to private and blocked ranges.", append(blocks(public, concat(private, local, inside, n.Blocked)), garden(n.Garden)...)...),
		egress(namespace, "allow-to-private-networks", constants.LabelNetworkPolicyToPrivateNetworks,
			"Traffic to private ranges, but not to those of seed and shoot, and not to blocked ones.", blocks(private, concat(inside, n.Blocked))...),
	}
	if len(n.Blocked) > 0 {
		policies = append(policies, egress(namespace, "allow-to-blocked-cidrs", constants.LabelNetworkPolicyToBlockedCIDRs,
			"Traffic to ranges that are blocked for everybody else.", blocks(n.Blocked, nil)...))
	}
	if len(n.Shoot) > 0 {
		policies = append(policies, egress(namespace, "allow-to-shoot-networks", names.ReachShoot,
			"Traffic to nodes, pods and services of the shoot.", blocks(n.Shoot, concat(n.Blocked, hosts(n.APIServer)))...))
	}
	return append(policies, policy(namespace, DenyAll, "No traffic at all, unless another policy allows it.", networkingv1.NetworkPolicySpec{
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress, networkingv1.PolicyTypeIngress},
	}))
}

func egress(namespace, name, label, description string, rules ...networkingv1.NetworkPolicyEgressRule) *networkingv1.NetworkPolicy {
	return policy(namespace, name, description, networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{label: constants.LabelNetworkPolicyAllowed}},
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress}, Egress: rules,
	})
}

func policy(namespace, name, description string, spec networkingv1.NetworkPolicySpec) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, Labels: map[string]string{labelManagedBy: managedBy},
			Annotations: map[string]string{"gardener.cloud/description": description},
		},
		Spec: spec,
	}
}

// dns allows the pods of name servers, with any port behind port 53, and further addresses, for name servers on nodes and for networks that apply
// policies before they translate the address of the Service.
func dns(addresses ...string) networkingv1.NetworkPolicyEgressRule {
	rule := networkingv1.NetworkPolicyEgressRule{To: []networkingv1.NetworkPolicyPeer{{
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: metav1.NamespaceSystem}},
		PodSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "k8s-app", Operator: metav1.LabelSelectorOpIn, Values: []string{"kube-dns", "node-local-dns"}},
		}},
	}}}
	for _, address := range addresses {
		if block := host(address); block != "" {
			rule.To = append(rule.To, ipBlock(block, nil))
		}
	}
	for _, protocol := range []corev1.Protocol{corev1.ProtocolUDP, corev1.ProtocolTCP} {
		for _, port := range []int32{53, 8053} {
			rule.Ports = append(rule.Ports, portOf(protocol, port))
		}
	}
	return rule
}

func apiServer(endpoints []Endpoint) []networkingv1.NetworkPolicyEgressRule {
	var rules []networkingv1.NetworkPolicyEgressRule
	for _, endpoint := range endpoints {
		if block := host(endpoint.Address); block != "" {
			rules = append(rules, networkingv1.NetworkPolicyEgressRule{
				To:    []networkingv1.NetworkPolicyPeer{ipBlock(block, nil)},
				Ports: []networkingv1.NetworkPolicyPort{portOf(corev1.ProtocolTCP, endpoint.Port)},
			})
		}
	}
	return rules
}

// garden allows the garden.
func garden(g Garden) []networkingv1.NetworkPolicyEgressRule {
	if g.Address == "" {
		return nil
	}
	rules := apiServer([]Endpoint{{Address: g.Address, Port: 443}})
	if len(g.Pods) == 0 {
		return rules
	}
	return append(rules, networkingv1.NetworkPolicyEgressRule{
		To: []networkingv1.NetworkPolicyPeer{{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: g.Namespace}},
			PodSelector:       &metav1.LabelSelector{MatchLabels: g.Pods},
		}},
		Ports: []networkingv1.NetworkPolicyPort{{Protocol: ptr.To(corev1.ProtocolTCP), Port: &g.Port}},
	})
}

func portOf(protocol corev1.Protocol, port int32) networkingv1.NetworkPolicyPort {
	return networkingv1.NetworkPolicyPort{Protocol: ptr.To(protocol), Port: ptr.To(intstr.FromInt32(port))}
}
