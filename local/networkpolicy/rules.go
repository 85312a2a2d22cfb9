// Package networkpolicy enforces the NetworkPolicies of a test cluster on one node, by rules of nftables. The kernel applies them to
// traffic from and to the pods of the node. Traffic from a node to its own pods is allowed, as Kubernetes demands. Packets of a
// connection that was allowed before are allowed, too. The package supports IPv4 only.
package networkpolicy

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// table is the only one that belongs to this package.
const table = "ip podnet"

// World contains all inputs for the rules. The order of its lists does not matter.
type World struct {
	// Node is the name of the node that the rules are for.
	Node       string
	Namespaces []*corev1.Namespace
	Pods       []*corev1.Pod
	Policies   []*networkingv1.NetworkPolicy
	// Resolvers are the addresses of the node's name servers. The network translates the address of a container engine's name server
	// to a loopback address and an unknown port. So the rules check DNS queries before that translation.
	Resolvers []string
}

// Rules returns a script for nft that replaces all existing rules in one step.
func Rules(w World) string {
	out := strings.Builder{}
	fmt.Fprintf(&out, "table %s\ndelete table %s\ntable %s {\n", table, table, table)
	for _, d := range []direction{egress, ingress} {
		groups := w.groups(d)
		for n, g := range groups {
			fmt.Fprintf(&out, "\tchain %s-%d {\n", d.name, n)
			for _, policy := range g.policies {
				for _, line := range w.lines(d, policy, g.pods) {
					fmt.Fprintf(&out, "\t\t%s return comment %q\n", line, short(policy.Namespace+"/"+policy.Name))
				}
			}
			out.WriteString("\t\tdrop\n\t}\n")
		}
		writeDirection(&out, d, groups)
	}
	if len(w.Resolvers) > 0 {
		fmt.Fprintf(&out, "\tchain prerouting {\n\t\ttype filter hook prerouting priority -150\n\t\tip daddr { %s } jump egress\n\t}\n", strings.Join(w.Resolvers, ", "))
	}
	out.WriteString("\tchain forward {\n\t\ttype filter hook forward priority -5\n\t\tjump egress\n\t\tjump ingress\n\t}\n")
	out.WriteString("\tchain input {\n\t\ttype filter hook input priority -5\n\t\tip daddr 127.0.0.0/8 return\n\t\tjump egress\n\t}\n}\n")
	return out.String()
}

// writeDirection is the chain that finds the one for a packet's pod. No policy comes between a pod and itself.
func writeDirection(out *strings.Builder, d direction, groups []group) {
	fmt.Fprintf(out, "\tchain %s {\n\t\tct state established,related return\n", d.name)
	var itself, chains []string
	for n, g := range groups {
		for _, pod := range g.pods {
			ip := pod.Status.PodIP
			itself = append(itself, ip+" . "+ip)
			chains = append(chains, fmt.Sprintf("%s : jump %s-%d", ip, d.name, n))
		}
	}
	if len(groups) > 0 {
		fmt.Fprintf(out, "\t\tip saddr . ip daddr { %s } return\n", strings.Join(itself, ", "))
		fmt.Fprintf(out, "\t\tip %s vmap { %s }\n", d.own, strings.Join(chains, ", "))
	}
	out.WriteString("\t}\n")
}

// direction is seen from the pods of the node: own is the side of a packet that is theirs.
type direction struct {
	name, own, other string
	kind             networkingv1.PolicyType
}

var (
	egress  = direction{"egress", "saddr", "daddr", networkingv1.PolicyTypeEgress}
	ingress = direction{"ingress", "daddr", "saddr", networkingv1.PolicyTypeIngress}
)

// group are pods of the node to which the same policies apply.
type group struct {
	policies []*networkingv1.NetworkPolicy
	pods     []*corev1.Pod
}

// groups are those of pods that some policy closes, in a fixed order.
func (w World) groups(d direction) []group {
	found := map[string]*group{}
	var keys []string
	for _, pod := range w.pods() {
		if pod.Spec.NodeName != w.Node {
			continue
		}
		var policies []*networkingv1.NetworkPolicy
		key := ""
		for _, policy := range sorted(w.Policies) {
			if policy.Namespace == pod.Namespace && slices.Contains(policy.Spec.PolicyTypes, d.kind) && matches(&policy.Spec.PodSelector, pod.Labels) {
				policies = append(policies, policy)
				key += policy.Namespace + "/" + policy.Name + " "
			}
		}
		if len(policies) == 0 {
			continue
		}
		if found[key] == nil {
			found[key] = &group{policies: policies}
			keys = append(keys, key)
		}
		found[key].pods = append(found[key].pods, pod)
	}
	slices.Sort(keys)
	var out []group
	for _, key := range keys {
		out = append(out, *found[key])
	}
	return out
}

// pods are those with an address of their own, sorted. What has ended has given its address back.
func (w World) pods() []*corev1.Pod {
	var out []*corev1.Pod
	for _, pod := range sorted(w.Pods) {
		ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		if !ended && !pod.Spec.HostNetwork && isIPv4(pod.Status.PodIP) {
			out = append(out, pod)
		}
	}
	return out
}

func sorted[T metav1.Object](objects []T) []T {
	return slices.SortedFunc(slices.Values(objects), func(a, b T) int {
		return strings.Compare(a.GetNamespace()+"/"+a.GetName(), b.GetNamespace()+"/"+b.GetName())
	})
}

func matches(selector *metav1.LabelSelector, set map[string]string) bool {
	s, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && s.Matches(labels.Set(set))
}

// short keeps to the length of comments that the kernel takes.
func short(text string) string { return text[:min(len(text), 120)] }
