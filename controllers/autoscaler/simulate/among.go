package simulate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// keepsDistance reports whether required affinity rules among pods hold: those of the pod, and those of other pods
// to keep away from it.
func (c *Cluster) keepsDistance(pod *corev1.Pod, n *Node) bool {
	for _, term := range repels(pod) {
		if c.inDomain(n, term.TopologyKey, func(other *corev1.Pod) bool { return matches(term, pod, other) }) {
			return false
		}
	}
	for _, other := range c.Nodes {
		for _, p := range other.Pods {
			for _, term := range repels(p) {
				if sameDomain(n, other, term.TopologyKey) && matches(term, p, pod) {
					return false
				}
			}
		}
	}
	for _, term := range attracts(pod) {
		if n.Labels[term.TopologyKey] == "" {
			return false
		}
		wanted := func(other *corev1.Pod) bool { return matches(term, pod, other) }
		if c.inDomain(n, term.TopologyKey, wanted) {
			continue
		}
		if c.anywhere(wanted) || !matches(term, pod, pod) { // the first of its kind may go anywhere
			return false
		}
	}
	return true
}

// keepsBalance reports whether required rules about the spread of similar pods hold with the pod on the node.
func (c *Cluster) keepsBalance(pod *corev1.Pod, n *Node) bool {
	for _, rule := range pod.Spec.TopologySpreadConstraints {
		if rule.WhenUnsatisfiable != corev1.DoNotSchedule {
			continue
		}
		domain, ok := n.Labels[rule.TopologyKey]
		if !ok {
			return false
		}
		counts := c.counts(pod, rule)
		least := counts[domain]
		for _, count := range counts {
			least = min(least, count)
		}
		own := 0
		if selects(rule.LabelSelector, pod) {
			own = 1
		}
		if counts[domain]+own-least > int(rule.MaxSkew) {
			return false
		}
	}
	return true
}

// counts returns how many similar pods are in each domain that the pod may run in.
func (c *Cluster) counts(pod *corev1.Pod, rule corev1.TopologySpreadConstraint) map[string]int {
	required, out := nodeaffinity.GetRequiredNodeAffinity(pod), map[string]int{}
	for _, n := range c.Nodes {
		domain, ok := n.Labels[rule.TopologyKey]
		if match, err := required.Match(n.Node); !ok || err != nil || !match {
			continue
		}
		for _, other := range n.Pods {
			if other.Namespace == pod.Namespace && other.DeletionTimestamp == nil && selects(rule.LabelSelector, other) {
				out[domain]++
			}
		}
		out[domain] += 0
	}
	return out
}

func (c *Cluster) inDomain(n *Node, key string, wanted func(*corev1.Pod) bool) bool {
	return slices.ContainsFunc(c.Nodes, func(other *Node) bool {
		return sameDomain(n, other, key) && slices.ContainsFunc(other.Pods, wanted)
	})
}

func (c *Cluster) anywhere(wanted func(*corev1.Pod) bool) bool {
	return slices.ContainsFunc(c.Nodes, func(n *Node) bool { return slices.ContainsFunc(n.Pods, wanted) })
}

func sameDomain(a, b *Node, key string) bool {
	value, ok := a.Labels[key]
	other, also := b.Labels[key]
	return ok && also && value == other
}

// matches reports whether a rule of owner applies to the other pod. A namespace selector is treated as all
// namespaces.
func matches(term corev1.PodAffinityTerm, owner, other *corev1.Pod) bool {
	namespace := term.NamespaceSelector != nil || slices.Contains(term.Namespaces, other.Namespace) ||
		len(term.Namespaces) == 0 && owner.Namespace == other.Namespace
	return namespace && selects(term.LabelSelector, other)
}

func selects(selector *metav1.LabelSelector, pod *corev1.Pod) bool {
	s, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && s.Matches(labels.Set(pod.Labels))
}

func repels(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if a := pod.Spec.Affinity; a != nil && a.PodAntiAffinity != nil {
		return a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

func attracts(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if a := pod.Spec.Affinity; a != nil && a.PodAffinity != nil {
		return a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}
