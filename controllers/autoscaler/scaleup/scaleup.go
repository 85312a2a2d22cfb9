// Package scaleup decides which groups of machines grow, and by how many machines, so that unschedulable pods can
// run. It consists of pure functions.
package scaleup

import (
	"cmp"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/controllers/autoscaler/group"
	"github.com/gardener-up/gardener-up/controllers/autoscaler/simulate"
)

// Input is everything that the decision depends on.
type Input struct {
	// Cluster contains the nodes that pods can use now.
	Cluster *simulate.Cluster
	Groups  []*group.Group
	// Pods are the pods for which the scheduler found no node.
	Pods       []*corev1.Pod
	DaemonSets []appsv1.DaemonSet
	// Rests reports whether a group may not grow at the moment.
	Rests func(name string) bool
	// Expanders choose among groups. Each one chooses from the result of the previous one.
	Expanders []Expander
}

// Plan is a decision. It is empty if no group grows.
type Plan struct {
	// Grow is how many machines to add to groups by name.
	Grow map[string]int
	// Pods are the pods that will run because of it.
	Pods []*corev1.Pod
	// Helpless are the pods that no group would help.
	Helpless []*corev1.Pod
}

// Option is one group that could grow.
type Option struct {
	Group *group.Group
	// Nodes are the nodes that the group would make, with pods.
	Nodes []*simulate.Node
	Pods  []*corev1.Pod
}

// Decide chooses one option. The remaining pods are considered in a later round.
func Decide(in Input) Plan {
	pods := in.homeless()
	options := in.options(pods)
	helpless := slices.DeleteFunc(slices.Clone(pods), func(pod *corev1.Pod) bool {
		return slices.ContainsFunc(options, func(o *Option) bool { return slices.Contains(o.Pods, pod) })
	})
	best := choose(options, in.Expanders)
	if best == nil {
		return Plan{Helpless: helpless}
	}
	return Plan{Grow: balance(best, options), Pods: best.Pods, Helpless: helpless}
}

// homeless are the pods that fit neither on existing nodes nor on coming ones, the largest first.
func (in Input) homeless() []*corev1.Pod {
	cluster := in.Cluster.Clone()
	for _, g := range in.Groups {
		for i := range g.Coming {
			if g.Template != nil {
				cluster.Nodes = append(cluster.Nodes, in.node(g, fmt.Sprintf("%s-coming-%d", g.Name, i)))
			}
		}
	}
	return cluster.PlaceAll(in.Pods, func(*simulate.Node) bool { return true })
}

// node is a new node of a group, with the pods of DaemonSets on it.
func (in Input) node(g *group.Group, name string) *simulate.Node {
	node := group.Named(g.Template, name)
	return simulate.NewNode(node, simulate.Daemons(in.DaemonSets, node)...)
}

// options are the groups that would help at least one pod.
func (in Input) options(pods []*corev1.Pod) []*Option {
	var out []*Option
	for _, g := range in.Groups {
		if g.Template == nil || g.Room() == 0 || in.Rests != nil && in.Rests(g.Name) {
			continue
		}
		if o := in.pack(g, pods); len(o.Pods) > 0 {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b *Option) int { return group.ByName(a.Group, b.Group) })
	return out
}

// pack puts each pod on the first new node of the group that it fits on, and adds a node if there is none.
func (in Input) pack(g *group.Group, pods []*corev1.Pod) *Option {
	out, cluster := &Option{Group: g}, in.Cluster.Clone()
	isNew := func(n *simulate.Node) bool { return slices.Contains(out.Nodes, n) }
	for _, pod := range pods {
		if cluster.Place(pod, isNew) != nil {
			out.Pods = append(out.Pods, pod)
			continue
		}
		if len(out.Nodes) == g.Room() {
			continue
		}
		fresh := in.node(g, fmt.Sprintf("%s-new-%d", g.Name, len(out.Nodes)))
		cluster.Nodes = append(cluster.Nodes, fresh)
		if !cluster.Fits(pod, fresh) {
			cluster.Nodes = cluster.Nodes[:len(cluster.Nodes)-1]
			continue
		}
		fresh.Add(pod)
		out.Nodes, out.Pods = append(out.Nodes, fresh), append(out.Pods, pod)
	}
	return out
}

// balance spreads the new machines over the groups of the same pool that would help the same pods, so that the smallest grows
// first.
func balance(best *Option, options []*Option) map[string]int {
	var groups []*group.Group
	for _, o := range options {
		if o == best || o.Group.Pool != "" && o.Group.Pool == best.Group.Pool && slices.Equal(o.Pods, best.Pods) {
			groups = append(groups, o.Group)
		}
	}
	out := map[string]int{}
	for range best.Nodes {
		smallest := slices.MinFunc(groups, func(a, b *group.Group) int {
			full := func(g *group.Group) int { return max(0, 1-(g.Room()-out[g.Name])) }
			return cmp.Or(cmp.Compare(full(a), full(b)), cmp.Compare(a.Size+out[a.Name], b.Size+out[b.Name]), group.ByName(a, b))
		})
		out[smallest.Name]++
	}
	return out
}
