package networkpolicy

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// lines are the matches of what a policy allows to the given pods, one for each pair of peers and port.
func (w World) lines(d direction, policy *networkingv1.NetworkPolicy, pods []*corev1.Pod) []string {
	var out []string
	if d.kind == networkingv1.PolicyTypeEgress {
		for _, rule := range policy.Spec.Egress {
			out = append(out, join(w.peers(d, policy.Namespace, rule.To), ports(rule.Ports, w.pods()))...)
		}
		return out
	}
	for _, rule := range policy.Spec.Ingress {
		out = append(out, join(w.peers(d, policy.Namespace, rule.From), ports(rule.Ports, pods))...)
	}
	return out
}

func join(peers, ports []string) []string {
	var out []string
	for _, peer := range peers {
		for _, port := range ports {
			out = append(out, strings.TrimSpace(peer+" "+port))
		}
	}
	return out
}

// peers are matches of the other side: one for all pods that are selected and one for each range. No peers mean everybody.
func (w World) peers(d direction, namespace string, peers []networkingv1.NetworkPolicyPeer) []string {
	if len(peers) == 0 {
		return []string{""}
	}
	var out, addresses []string
	for _, pod := range w.pods() {
		if slices.ContainsFunc(peers, func(peer networkingv1.NetworkPolicyPeer) bool { return w.isPeer(namespace, peer, pod) }) {
			addresses = append(addresses, pod.Status.PodIP)
		}
	}
	if len(addresses) > 0 {
		out = append(out, fmt.Sprintf("ip %s { %s }", d.other, strings.Join(addresses, ", ")))
	}
	for _, peer := range peers {
		if match, ok := block(d, peer.IPBlock); ok {
			out = append(out, match)
		}
	}
	return out
}

// isPeer reports whether the selectors of a peer mean the pod; a peer of both means pods that match in namespaces that match.
func (w World) isPeer(namespace string, peer networkingv1.NetworkPolicyPeer, pod *corev1.Pod) bool {
	switch {
	case peer.IPBlock != nil:
		return false
	case peer.PodSelector != nil && !matches(peer.PodSelector, pod.Labels):
		return false
	case peer.NamespaceSelector == nil:
		return pod.Namespace == namespace
	}
	i := slices.IndexFunc(w.Namespaces, func(n *corev1.Namespace) bool { return n.Name == pod.Namespace })
	return i >= 0 && matches(peer.NamespaceSelector, w.Namespaces[i].Labels)
}

// block is the match of a range without its exceptions; ok is false if there is none or if it is not of IPv4.
func block(d direction, block *networkingv1.IPBlock) (match string, ok bool) {
	if block == nil {
		return "", false
	}
	prefix, err := netip.ParsePrefix(block.CIDR)
	if err != nil || !prefix.Addr().Is4() {
		return "", false
	}
	var terms []string
	if prefix.Bits() > 0 {
		terms = append(terms, fmt.Sprintf("ip %s %s", d.other, prefix.Masked()))
	}
	for _, text := range block.Except {
		if except, err := netip.ParsePrefix(text); err == nil {
			terms = append(terms, fmt.Sprintf("ip %s != %s", d.other, except.Masked()))
		}
	}
	return strings.Join(terms, " "), true
}

// ports are matches of the port that is connected to. Names are those of the containers of targets. No ports mean all.
func ports(wanted []networkingv1.NetworkPolicyPort, targets []*corev1.Pod) []string {
	if len(wanted) == 0 {
		return []string{""}
	}
	var out []string
	for _, port := range wanted {
		protocol := corev1.ProtocolTCP
		if port.Protocol != nil {
			protocol = *port.Protocol
		}
		name := strings.ToLower(string(protocol))
		switch {
		case port.Port == nil:
			out = append(out, "meta l4proto "+name)
		case port.Port.Type == intstr.String:
			if found := named(port.Port.StrVal, protocol, targets); len(found) > 0 {
				out = append(out, fmt.Sprintf("ip daddr . %s dport { %s }", name, strings.Join(found, ", ")))
			}
		case port.EndPort != nil:
			out = append(out, fmt.Sprintf("%s dport %d-%d", name, port.Port.IntVal, *port.EndPort))
		default:
			out = append(out, fmt.Sprintf("%s dport %d", name, port.Port.IntVal))
		}
	}
	return out
}

// named are addresses and ports of pods that have a port of the name.
func named(name string, protocol corev1.Protocol, pods []*corev1.Pod) []string {
	var out []string
	for _, pod := range pods {
		for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
			for _, port := range container.Ports {
				if port.Name == name && (port.Protocol == protocol || port.Protocol == "" && protocol == corev1.ProtocolTCP) {
					out = append(out, fmt.Sprintf("%s . %d", pod.Status.PodIP, port.ContainerPort))
				}
			}
		}
	}
	return out
}

func isIPv4(text string) bool {
	addr, err := netip.ParseAddr(text)
	return err == nil && addr.Is4()
}
