// Package simulate checks whether pods fit on real or planned nodes, by the rules that a scheduler must obey:
// requests, selectors and affinities, taints, ports, and required rules among pods. It knows neither clusters nor
// clients, and decides nothing. It ignores volumes, which other controllers bind, and preferences, which are not
// binding.
package simulate

import (
	"cmp"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// Cluster contains all nodes that pods may run on. It differs from the API server's state once pods have been
// placed.
type Cluster struct{ Nodes []*Node }

// Node is a node with its pods.
type Node struct {
	*corev1.Node
	Pods []*corev1.Pod
	used Amounts
}

// NewNode makes a node with pods on it. Finished pods do not count.
func NewNode(node *corev1.Node, pods ...*corev1.Pod) *Node {
	n := &Node{Node: node, used: Amounts{}}
	for _, pod := range pods {
		n.Add(pod)
	}
	return n
}

// Add puts a pod on the node without checking whether it fits.
func (n *Node) Add(pod *corev1.Pod) {
	if Ended(pod) {
		return
	}
	n.Pods = append(n.Pods, pod)
	n.used.add(Requests(pod), 1)
}

// Remove removes a pod from the node, by its identity.
func (n *Node) Remove(pod *corev1.Pod) {
	if i := slices.Index(n.Pods, pod); i >= 0 {
		n.Pods = slices.Delete(slices.Clone(n.Pods), i, i+1)
		n.used.add(Requests(pod), -1)
	}
}

// Utilization is the larger of the shares of cpu and memory requested on the node by pods for which counts is true.
func (n *Node) Utilization(counts func(*corev1.Pod) bool) float64 {
	used, offered, highest := Amounts{}, amountsOf(n.Status.Allocatable), 0.0
	for _, pod := range n.Pods {
		if counts(pod) {
			used.add(Requests(pod), 1)
		}
	}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if offered[name] > 0 {
			highest = max(highest, float64(used[name])/float64(offered[name]))
		}
	}
	return highest
}

// Unused is the share of a resource that is not requested.
func (n *Node) Unused(name corev1.ResourceName) float64 {
	offered := amountsOf(n.Status.Allocatable)[name]
	if offered <= 0 {
		return 0
	}
	return max(0, 1-float64(n.used[name])/float64(offered))
}

// Clone copies the cluster deeply enough to place pods in the copy.
func (c *Cluster) Clone() *Cluster {
	out := &Cluster{Nodes: make([]*Node, len(c.Nodes))}
	for i, n := range c.Nodes {
		out.Nodes[i] = &Node{Node: n.Node, Pods: slices.Clone(n.Pods), used: maps.Clone(n.used)}
	}
	return out
}

// Place puts a pod on the first node that it fits on and for which allowed is true; nil if there is none.
func (c *Cluster) Place(pod *corev1.Pod, allowed func(*Node) bool) *Node {
	for _, n := range c.Nodes {
		if allowed(n) && c.Fits(pod, n) {
			n.Add(pod)
			return n
		}
	}
	return nil
}

// PlaceAll places pods, the largest first, and returns those that fit on no node.
func (c *Cluster) PlaceAll(pods []*corev1.Pod, allowed func(*Node) bool) []*corev1.Pod {
	sorted := slices.Clone(pods)
	slices.SortStableFunc(sorted, func(a, b *corev1.Pod) int {
		wantedA, wantedB := Requests(a), Requests(b)
		return cmp.Or(
			cmp.Compare(wantedB[corev1.ResourceCPU], wantedA[corev1.ResourceCPU]),
			cmp.Compare(wantedB[corev1.ResourceMemory], wantedA[corev1.ResourceMemory]),
		)
	})
	return slices.DeleteFunc(sorted, func(pod *corev1.Pod) bool { return c.Place(pod, allowed) != nil })
}

// Fits reports whether a pod may and can run on a node of the cluster.
func (c *Cluster) Fits(pod *corev1.Pod, n *Node) bool {
	return Suits(pod, n.Node) && n.hasRoom(pod) && n.hasPorts(pod) && c.keepsDistance(pod, n) && c.keepsBalance(pod, n)
}

// Suits reports whether a pod may run on a node, regardless of other pods there.
func Suits(pod *corev1.Pod, node *corev1.Node) bool {
	if node.Spec.Unschedulable {
		return false
	}
	if match, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); err != nil || !match {
		return false
	}
	_, repels := corev1helpers.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, pod.Spec.Tolerations, func(taint *corev1.Taint) bool {
		return taint.Effect != corev1.TaintEffectPreferNoSchedule
	}, true)
	return !repels
}

func (n *Node) hasRoom(pod *corev1.Pod) bool {
	offered := amountsOf(n.Status.Allocatable)
	if pods := offered[corev1.ResourcePods]; pods > 0 && int64(len(n.Pods)) >= pods {
		return false
	}
	for name, wanted := range Requests(pod) {
		if wanted > 0 && n.used[name]+wanted > offered[name] {
			return false
		}
	}
	return true
}

func (n *Node) hasPorts(pod *corev1.Pod) bool {
	wanted := ports(pod)
	return len(wanted) == 0 || !slices.ContainsFunc(n.Pods, func(other *corev1.Pod) bool {
		return slices.ContainsFunc(ports(other), func(taken corev1.ContainerPort) bool {
			return slices.ContainsFunc(wanted, func(port corev1.ContainerPort) bool { return collide(port, taken) })
		})
	})
}

func collide(a, b corev1.ContainerPort) bool {
	everywhere := func(ip string) bool { return ip == "" || ip == "0.0.0.0" || ip == "::" }
	return a.HostPort == b.HostPort && a.Protocol == b.Protocol && (a.HostIP == b.HostIP || everywhere(a.HostIP) || everywhere(b.HostIP))
}

// ports are the host ports of a pod.
func ports(pod *corev1.Pod) []corev1.ContainerPort {
	var out []corev1.ContainerPort
	for i := range pod.Spec.Containers {
		for _, port := range pod.Spec.Containers[i].Ports {
			if port.HostPort > 0 {
				out = append(out, port)
			}
		}
	}
	return out
}

// Ended reports whether a pod no longer uses resources.
func Ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}
