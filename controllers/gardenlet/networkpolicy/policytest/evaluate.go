// Package policytest tells which connections NetworkPolicies allow, by the rules of the API and without a network: for tests
// of what is written where nothing enforces it. It knows TCP and UDP ports by number only, and takes addresses of pods to be
// matched by ranges, too, as most networks do.
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

// World is everything that decides.
type World struct {
	// Namespaces are the labels of namespaces by name.
	Namespaces map[string]map[string]string
	Policies   []networkingv1.NetworkPolicy
}

// Peer is one end of a connection: a pod, or an address that is none of a pod of the cluster, such as a node's and thereby
// that of pods in the network of a node.
type Peer struct {
	// Namespace is empty for addresses.
	Namespace string
	Labels    map[string]string
	Address   string
}

// Pod is the peer that a template makes; one in the network of a node is just an address.
func Pod(namespace string, template corev1.PodTemplateSpec, address string) Peer {
	if template.Spec.HostNetwork {
		return Peer{Address: address}
	}
	return Peer{Namespace: namespace, Labels: template.Labels, Address: address}
}

// Blocked says why a connection is not possible; empty means that it is.
func (w World) Blocked(from, to Peer, protocol corev1.Protocol, port int32) string {
	if !w.passes(from, to, networkingv1.PolicyTypeEgress, protocol, port) {
		return "no policy lets it out"
	}
	if !w.passes(to, from, networkingv1.PolicyTypeIngress, protocol, port) {
		return "no policy lets it in"
	}
	return ""
}

// passes reports whether the policies of one end let the other one through.
func (w World) passes(own, other Peer, direction networkingv1.PolicyType, protocol corev1.Protocol, port int32) bool {
	if own.Namespace == "" {
		return true // policies are for pods only
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
		panic(fmt.Sprintf("port %q has a name, which is not supported", p.Port.StrVal))
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
