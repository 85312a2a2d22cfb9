// Package scaledown decides which nodes are unneeded: nodes with little load whose pods may and can move elsewhere.
// It consists of pure functions. The caller decides how long a node has to be unneeded before it is removed.
package scaledown

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/gardener-up/gardener-up/controllers/autoscaler/group"
	"github.com/gardener-up/gardener-up/controllers/autoscaler/simulate"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// Settings are those of the command line.
type Settings struct {
	// UtilizationThreshold is the share of requests above which a node is needed.
	UtilizationThreshold float64
	// UnneededTime is how long a node has to be unneeded before it is removed, UnreadyTime how long it has to be
	// unready.
	UnneededTime, UnreadyTime time.Duration
	// IgnoreDaemonSets excludes their pods from the utilization.
	IgnoreDaemonSets bool
	// KeepLocalStorage keeps nodes that have pods with local data, KeepSystemPods those that have pods of kube-system
	// without budget.
	KeepLocalStorage, KeepSystemPods bool
	// MaxAtOnce is how many nodes may be removed at once, MaxDrained how many of them with pods.
	MaxAtOnce, MaxDrained int
}

// Input is everything that the decision depends on.
type Input struct {
	Cluster *simulate.Cluster
	// GroupOf finds the group of a node; nil for nodes without a group, and for nodes whose machine is already being
	// removed.
	GroupOf func(*simulate.Node) *group.Group
	// Ready says whether the kubelet of a node answers.
	Ready    func(*corev1.Node) bool
	Budgets  []policyv1.PodDisruptionBudget
	Settings Settings
}

// Candidate is an unneeded node.
type Candidate struct {
	Node  *simulate.Node
	Group *group.Group
	// Moving are the pods that have to leave the node.
	Moving []*corev1.Pod
	// Unready means that the node is removed because its kubelet does not answer.
	Unready bool
}

// After is how long the node has to have been a candidate before it goes.
func (c Candidate) After(s Settings) time.Duration {
	if c.Unready {
		return deref(c.Group.Settings.UnreadyTime, s.UnreadyTime)
	}
	return deref(c.Group.Settings.UnneededTime, s.UnneededTime)
}

// Unneeded finds the nodes that could be removed together, those with the least load first. Each needs room for its
// pods on nodes that stay.
func Unneeded(in Input) []Candidate {
	rules := newRules(in.Budgets, in.Settings)
	cluster := in.Cluster.Clone()
	nodes := slices.Clone(cluster.Nodes)
	share := map[*simulate.Node]float64{}
	for _, n := range nodes {
		share[n] = n.Utilization(in.counts)
	}
	slices.SortStableFunc(nodes, func(a, b *simulate.Node) int {
		return cmp.Or(cmp.Compare(share[a], share[b]), cmp.Compare(a.Name, b.Name))
	})
	var out []Candidate
	leaving, filled := map[string]int{}, map[*simulate.Node]bool{}
	for _, n := range nodes {
		g := in.GroupOf(n)
		if g == nil || filled[n] || g.Size-leaving[g.Name] <= g.Min || Kept(n.Node) {
			continue
		}
		unready := !in.Ready(n.Node)
		if !unready && share[n] >= deref(g.Settings.UtilizationThreshold, in.Settings.UtilizationThreshold) {
			continue
		}
		candidate, ok := in.empty(cluster, n, rules, filled)
		if !ok {
			continue
		}
		candidate.Group, candidate.Unready = g, unready
		leaving[g.Name]++
		out = append(out, candidate)
	}
	return out
}

// Kept reports whether an annotation prevents the removal of the node.
func Kept(node *corev1.Node) bool {
	return node.Annotations[machinev1alpha1.ClusterAutoscalerScaleDownDisabledAnnotation] == "true"
}

func (in Input) counts(pod *corev1.Pod) bool {
	return !in.Settings.IgnoreDaemonSets || !simulate.OfDaemonSet(pod)
}

// empty moves the pods of a node to others, and removes the node from the cluster. If one pod cannot move, nothing
// changes.
func (in Input) empty(cluster *simulate.Cluster, n *simulate.Node, rules *rules, filled map[*simulate.Node]bool) (Candidate, bool) {
	moving, ok := rules.moving(n)
	if !ok {
		return Candidate{}, false
	}
	before := rules.save()
	i := slices.Index(cluster.Nodes, n)
	cluster.Nodes = slices.Delete(slices.Clone(cluster.Nodes), i, i+1)
	stays := func(other *simulate.Node) bool { return in.Ready(other.Node) }
	placed := map[*corev1.Pod]*simulate.Node{}
	undo := func() (Candidate, bool) {
		for pod, other := range placed {
			other.Remove(pod)
		}
		rules.restore(before)
		cluster.Nodes = slices.Insert(cluster.Nodes, i, n)
		return Candidate{}, false
	}
	for _, pod := range moving {
		if !rules.take(pod) {
			return undo()
		}
		other := cluster.Place(unbound(pod), stays)
		if other == nil {
			return undo()
		}
		placed[other.Pods[len(other.Pods)-1]] = other
	}
	for _, other := range placed {
		filled[other] = true
	}
	return Candidate{Node: n, Moving: moving}, true
}

// unbound is the pod as its controller would create it again.
func unbound(pod *corev1.Pod) *corev1.Pod {
	out := *pod
	out.Spec.NodeName = ""
	return &out
}

// Ripe chooses the candidates to remove now. since says when each became a candidate.
func Ripe(candidates []Candidate, s Settings, since func(node string) time.Duration) []Candidate {
	var out []Candidate
	drained := 0
	for _, c := range candidates {
		if since(c.Node.Name) < c.After(s) || len(out) >= max(1, s.MaxAtOnce) {
			continue
		}
		if len(c.Moving) > 0 {
			if drained >= max(1, s.MaxDrained) {
				continue
			}
			drained++
		}
		out = append(out, c)
	}
	return out
}

func deref[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}
