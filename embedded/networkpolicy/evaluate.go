// Package networkpolicy decides whether the NetworkPolicies of a cluster allow a connection. It is for networks that are asked before a
// connection is made. It has no state and no clients.
package networkpolicy

import (
	"errors"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Cluster has the objects that decide.
type Cluster interface {
	// Policies are the NetworkPolicies of a namespace.
	Policies(namespace string) []*networkingv1.NetworkPolicy
	// Namespace returns the labels of a namespace, and whether it is known.
	Namespace(name string) (map[string]string, bool)
}

// End is one end of a connection.
type End struct {
	Address netip.Addr
	// Pod has the address; nil if no pod has it.
	Pod *corev1.Pod
}

// Connection is what a pod asks for.
type Connection struct {
	From, To End
	Protocol corev1.Protocol
	Port     int32
}

// Reasons why a connection is not allowed.
var (
	ErrEgress  = errors.New("no NetworkPolicy of the pod that connects allows it")
	ErrIngress = errors.New("no NetworkPolicy of the pod that is connected to allows it")
)

// Egress returns an error if policies of the pod that connects do not allow the connection.
func Egress(cluster Cluster, c Connection) error {
	if c.From.Pod == nil || isSame(c) {
		return nil
	}
	policies := of(cluster, c.From.Pod, networkingv1.PolicyTypeEgress)
	for _, policy := range policies {
		for _, rule := range policy.Spec.Egress {
			if matchesPorts(rule.Ports, c) && matchesPeers(cluster, policy.Namespace, rule.To, c.To) {
				return nil
			}
		}
	}
	if len(policies) == 0 {
		return nil
	}
	return ErrEgress
}

// Ingress returns an error if policies of the pod that is connected to do not allow the connection.
func Ingress(cluster Cluster, c Connection) error {
	if c.To.Pod == nil || isSame(c) {
		return nil
	}
	policies := of(cluster, c.To.Pod, networkingv1.PolicyTypeIngress)
	for _, policy := range policies {
		for _, rule := range policy.Spec.Ingress {
			if matchesPorts(rule.Ports, c) && matchesPeers(cluster, policy.Namespace, rule.From, c.From) {
				return nil
			}
		}
	}
	if len(policies) == 0 {
		return nil
	}
	return ErrIngress
}

// isSame reports whether a pod connects to itself, which no policy forbids.
func isSame(c Connection) bool {
	return c.From.Pod != nil && c.To.Pod != nil && c.From.Pod.Namespace == c.To.Pod.Namespace && c.From.Pod.Name == c.To.Pod.Name
}

// of are the policies of a type that select the pod.
func of(cluster Cluster, pod *corev1.Pod, kind networkingv1.PolicyType) []*networkingv1.NetworkPolicy {
	var all []*networkingv1.NetworkPolicy
	for _, policy := range cluster.Policies(pod.Namespace) {
		if slices.Contains(policy.Spec.PolicyTypes, kind) && selects(&policy.Spec.PodSelector, pod.Labels) {
			all = append(all, policy)
		}
	}
	return all
}

// matchesPeers reports whether the other end is one of the peers. No peers mean everybody.
func matchesPeers(cluster Cluster, namespace string, peers []networkingv1.NetworkPolicyPeer, other End) bool {
	return len(peers) == 0 || slices.ContainsFunc(peers, func(peer networkingv1.NetworkPolicyPeer) bool {
		if peer.IPBlock != nil {
			return inBlock(peer.IPBlock, other.Address)
		}
		return other.Pod != nil && isPeer(cluster, namespace, peer, other.Pod)
	})
}

// isPeer reports whether the selectors mean the pod. Both selectors mean pods that match in namespaces that match.
func isPeer(cluster Cluster, namespace string, peer networkingv1.NetworkPolicyPeer, pod *corev1.Pod) bool {
	if peer.PodSelector != nil && !selects(peer.PodSelector, pod.Labels) {
		return false
	}
	if peer.NamespaceSelector == nil {
		return peer.PodSelector != nil && pod.Namespace == namespace
	}
	labels, known := cluster.Namespace(pod.Namespace)
	return known && selects(peer.NamespaceSelector, labels)
}

func inBlock(block *networkingv1.IPBlock, address netip.Addr) bool {
	in := func(text string) bool {
		prefix, err := netip.ParsePrefix(text)
		return err == nil && prefix.Contains(address.Unmap())
	}
	return in(block.CIDR) && !slices.ContainsFunc(block.Except, in)
}

// selects reports whether the selector matches. A selector that cannot be read matches nothing.
func selects(selector *metav1.LabelSelector, set map[string]string) bool {
	s, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && s.Matches(labels.Set(set))
}
