// Package policytest evaluates which connections NetworkPolicies allow, by the rules of the API and without a network.
// It is for tests of policies in environments that do not enforce them. It supports TCP and UDP ports by number only.
// It matches the addresses of pods against ranges, too, as most networks do.
package policytest

import (
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// World contains all inputs for the evaluation.
type World struct {
	// Namespaces are the labels of namespaces by name.
	Namespaces map[string]map[string]string
	Policies   []networkingv1.NetworkPolicy
}

// Peer is one end of a connection: a pod, or an address that does not belong to a pod, such as the address of a node
// and of pods in its host network.
type Peer struct {
	// Namespace is empty for addresses.
	Namespace string
	Labels    map[string]string
	Address   string
}

// Pod returns the peer for a pod template; a pod in the host network is just an address.
func Pod(namespace string, template corev1.PodTemplateSpec, address string) Peer {
	if template.Spec.HostNetwork {
		return Peer{Address: address}
	}
	return Peer{Namespace: namespace, Labels: template.Labels, Address: address}
}

// Blocked returns the reason why a connection is denied; it is empty if the connection is allowed.
func (w World) Blocked(from, to Peer, protocol corev1.Protocol, port int32) string {
	if !w.passes(from, to, networkingv1.PolicyTypeEgress, protocol, port) {
		return "no policy lets it out"
	}
	if !w.passes(to, from, networkingv1.PolicyTypeIngress, protocol, port) {
		return "no policy lets it in"
	}
	return ""
}

// passes reports whether the policies of one end allow the other end.
func (w World) passes(own, other Peer, direction networkingv1.PolicyType, protocol corev1.Protocol, port int32) bool {
	if own.Namespace == "" {
		return true // policies apply to pods only
	}
	closed := false
	for _, policy := range w.Policies {
		if policy.Namespace != own.Namespace || !slices.Contains(policy.Spec.PolicyTypes, direction) || !matches(&policy.Spec.PodSelector, own.Labels) {
			continue
		}
		closed = true
		if direction == networkingv1.PolicyTypeEgress {
			for _, rule := range policy.Spec.Egress {
				if w.rule(policy.Namespace, rule.To, rule.Ports, other, protocol, port) {
					return true
				}
			}
			continue
		}
		for _, rule := range policy.Spec.Ingress {
			if w.rule(policy.Namespace, rule.From, rule.Ports, other, protocol, port) {
				return true
			}
		}
	}
	return !closed
}

func (w World) rule(namespace string, peers []networkingv1.NetworkPolicyPeer, ports []networkingv1.NetworkPolicyPort, other Peer, protocol corev1.Protocol, port int32) bool {
	portMatches := func(p networkingv1.NetworkPolicyPort) bool { return portIs(p, protocol, port) }
	if len(ports) > 0 && !slices.ContainsFunc(ports, portMatches) {
		return false
	}
	return len(peers) == 0 || slices.ContainsFunc(peers, func(p networkingv1.NetworkPolicyPeer) bool { return w.peer(namespace, p, other) })
}

func (w World) peer(namespace string, peer networkingv1.NetworkPolicyPeer, other Peer) bool {
	if block := peer.IPBlock; block != nil {
		return contains(block.CIDR, other.Address) && !slices.ContainsFunc(block.Except, func(cidr string) bool { return contains(cidr, other.Address) })
	}
	if other.Namespace == "" {
		return false
	}
	if peer.NamespaceSelector == nil && other.Namespace != namespace {
		return false
	}
	if peer.NamespaceSelector != nil && !matches(peer.NamespaceSelector, w.Namespaces[other.Namespace]) {
		return false
	}
	return peer.PodSelector == nil || matches(peer.PodSelector, other.Labels)
}

func portIs(p networkingv1.NetworkPolicyPort, protocol corev1.Protocol, port int32) bool {
	wanted := corev1.ProtocolTCP
	if p.Protocol != nil {
		wanted = *p.Protocol
	}
	if wanted != protocol {
		return false
	}
	if p.Port == nil {
		return true
	}
	if p.Port.Type == intstr.String {
		panic(fmt.Sprintf("port %q is a name, which is not supported", p.Port.StrVal))
	}
	if p.EndPort != nil {
		return port >= p.Port.IntVal && port <= *p.EndPort
	}
	return port == p.Port.IntVal
}

func matches(selector *metav1.LabelSelector, set map[string]string) bool {
	s, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && s.Matches(labels.Set(set))
}

func contains(cidr, address string) bool {
	prefix, err := netip.ParsePrefix(cidr)
	addr, err2 := netip.ParseAddr(address)
	return err == nil && err2 == nil && prefix.Contains(addr)
}
